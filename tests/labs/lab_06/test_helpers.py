"""What lab 06 measures with: the search for a recursion's depth, the forced interruption."""

from __future__ import annotations

import operator
import threading

import pytest

pytest.importorskip("torch")

import torch

from hpml.labs.lab_06_forward_order.networks import deepest, forwards_of
from hpml.labs.lab_06_forward_order.two_callers import interrupted, pause_layer
from hpml.symbolic import Input, SymbolicModel

WAYS = ("lazy", "ordered", "codegen")


@pytest.mark.parametrize("limit", [0, 1, 63, 64, 65, 1000])
def test_the_deepest_run_is_found(limit: int) -> None:
    def run(depth: int) -> None:
        if depth > limit:
            raise RecursionError

    assert deepest(run, at_most=5000) == limit


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


def test_all_ways_share_their_layers_and_agree() -> None:
    data = torch.rand(4, 4)
    results = [model(data) for model in forwards_of(5).values()]
    assert all(torch.equal(result, results[0]) for result in results)
