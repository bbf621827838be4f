from __future__ import annotations

import operator
import threading

import pytest
import torch

from hpml.course.labs.lab_06_forward_order.two_callers import interrupted, pause_layer
from hpml.symbolic import Input, SymbolicModel

WAYS = ("lazy", "ordered", "codegen")


def test_values_on_nodes_leak_from_one_caller_to_the_other() -> None:
    pause = pause_layer()
    store: dict[str, int] = {}

    def careless(value: int) -> int:
        store["doubled"] = 2 * value
        paused = pause(store["doubled"])
        return operator.add(store["doubled"], paused)

    assert (careless(1), careless(100)) == (4, 400)
    assert interrupted(careless, pause, 1, 100) == (202, 400)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_the_library_serves_two_callers(way: str) -> None:
    pause = pause_layer()
    first = Input(shape=(1,))
    twice = first * 2
    model = SymbolicModel(first, twice + pause(twice), execution=way)
    sent = torch.tensor([[1.0]]), torch.tensor([[100.0]])
    got = interrupted(model, pause, *sent)
    assert [float(value.detach()) for value in got] == [4.0, 400.0]


def test_the_second_callers_error_lets_the_first_go() -> None:
    pause = pause_layer()

    def fails_for_two(value: int) -> int:
        if value == 2:
            raise ZeroDivisionError
        return int(pause(value))

    threads = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        interrupted(fails_for_two, pause, 1, 2)
    assert threading.active_count() == threads
    assert fails_for_two(1) == 1
