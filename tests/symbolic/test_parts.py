"""Assignments to parts of a value: as by hand where parts have nothing in common, else refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel, add_to_graph
from hpml.symbolic.errors import ArgumentError
from tests.symbolic.programs import assert_same

Program = Callable[[Any], Any]
broadcast: Any = torch.broadcast_tensors
BATCHES = [{"shape": (4,)}, {"batch_shape": (3, 4)}]


class Both(nn.Module):
    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"a": x * 2, "b": x * 3}


class Twice(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * 2
        return y, y


def assigned(a: Any, b: Any) -> Any:
    a += 1
    return b * a


def rows(x: Any) -> Any:
    total = x[0]
    for row in x[1:]:
        total += row
    return total


def items(value: Any, first: Any, second: Any) -> Any:
    a = value[first]
    a *= 2
    return value[second] + a


def named(x: Any) -> Any:
    found = torch.max(x, 1)
    values = found.values
    values *= 2
    return values + found[1]


def in_place(x: Any) -> Any:
    a, b = (x * 1)[:, :2], (x * 1)[:, 2:]
    nn.ReLU(inplace=True)(a)
    return a + b


APART: dict[str, Program] = {
    "columns": lambda x: assigned(x[:, :2], x[:, 2:]),
    "columns of a copy": lambda x: (lambda y: assigned(y[..., 0], y[:, 1]))(nn.Flatten()(x)),
    "views of views": lambda x: assigned(x.flatten(1)[:, :2], x.transpose(0, 1)[2:].T),
    "chunks": lambda x: assigned(*(x * 2).chunk(2, 1)),
    "unbound": lambda x: assigned(*x.unbind(1)[:2]),
    "items of a dictionary": lambda x: items(Both()(x), "a", "b"),
    "items of a tuple": lambda x: items((x * 1).chunk(2, 1), 0, 1),
    "a named item": named,
    "a layer in place": in_place,
}
TOGETHER: dict[str, Program] = {
    "columns that overlap": lambda x: assigned(x[:, :3], x[:, 2:]),
    "the last row may be the first": lambda x: assigned(x[:1], x[-1:]),
    "the same item twice": lambda x: items(Both()(x), "a", "a"),
    "one tensor twice": lambda x: assigned(*Twice()(x)),
    "broadcast": lambda x: assigned(*broadcast(x, x)),
    "windows": lambda x: assigned(*(x * 1).unfold(1, 2, 1)[0, :2]),
    "strides": lambda x: assigned(*(x * 1).as_strided((2, 3), (1, 1))),
    "expanded": lambda x: assigned(*(x * 1)[:1].expand(2, 4)),
    "a function's parts": lambda x: assigned(*called(x)),
}


def overlapping(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x[:1], x


def called(x: Any) -> Any:
    y = x * 1
    return overlapping(y) if isinstance(y, torch.Tensor) else add_to_graph(overlapping, y)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("name", APART)
def test_parts_that_are_apart_are_read_after_an_assignment(
    name: str, batch: dict[str, Any]
) -> None:
    x = Input(**batch)
    model = SymbolicModel(x, APART[name](x))
    value = torch.rand(3, 4) - 0.5
    assert_same(model(value.clone()), APART[name](value.clone()))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("name", TOGETHER)
def test_a_part_that_an_assignment_may_have_changed_is_refused(
    name: str, batch: dict[str, Any]
) -> None:
    if name == "the last row may be the first" and "batch_shape" in batch:
        batch = {"batch_shape": (1, 4)}
    with pytest.raises(ArgumentError):
        TOGETHER[name](Input(**batch))


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_rows_are_added_up_in_the_first_one(execution: str) -> None:
    x: Any = Input(batch_shape=(3, 4))
    model = SymbolicModel(x, rows(x), execution=execution)
    value = torch.rand(3, 4)
    assert_same(model(value), rows(value.clone()))
    with pytest.raises(ArgumentError):  # by hand the first row would be another one now
        x * 2


def test_two_arguments_are_one_tensor_only_if_they_are_one_value() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    assert_same(
        SymbolicModel([x, y], assigned(*broadcast(x, y)))(torch.ones(2, 4), torch.zeros(2, 4)),
        torch.zeros(2, 4),
    )
    with pytest.raises(ArgumentError):
        assigned(*broadcast(x, x))
