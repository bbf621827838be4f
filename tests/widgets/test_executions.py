"""The steps of executions, against executions that really run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hpml.base.drawing import dataflow
from hpml.course.small_graphs import ladder
from hpml.symbolic import Input, SymbolicModel
from hpml.widgets.player.executions import (
    ExecutionStep,
    forgetful_steps,
    lazy_steps,
    ordered_steps,
)

Parents = dict[str, list[str]]
TINY: Parents = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}


@st.composite
def graphs(draw: st.DrawFn) -> Parents:
    """Small graphs with one or two inputs, whose values may be used often, twice, or never."""
    names = ["x", "y"][: draw(st.integers(1, 2))]
    parents: Parents = {name: [] for name in names}
    for i in range(draw(st.integers(1, 6))):
        above = draw(st.lists(st.sampled_from(list(parents)), min_size=1, max_size=3))
        parents[f"n{i}"] = above
    return parents


def pulled(parents: Parents, output: str, remember: bool) -> tuple[int, list[str]]:
    """Ask recursively, and return how often was asked and what was executed, in its order."""
    known: set[str] = {name for name, above in parents.items() if not above}
    executed: list[str] = []
    asked = 0

    def pull(name: str) -> None:
        nonlocal asked
        asked += 1
        if name in known:
            return
        for parent in parents[name]:
            pull(parent)
        executed.append(name)
        if remember:
            known.add(name)

    pull(output)
    return asked, executed


def executed_of(calls: Sequence[ExecutionStep], parents: Parents) -> list[str]:
    names = list(parents)
    return [names[call.value] for call in calls if call.kind == "execute"]


class Counted(nn.Module):
    """A layer that adds up what it is given and writes down that it was called."""

    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__()
        self.name, self.log = name, log

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        self.log.append(self.name)
        total = values[0]
        for value in values[1:]:
            total = total + value
        return total


def modelled(parents: Parents, output: str, execution: str) -> tuple[SymbolicModel, list[str]]:
    log: list[str] = []
    made: dict[str, Any] = {}
    for name, above in parents.items():
        made[name] = (
            Counted(name, log)(*(made[parent] for parent in above)) if above else Input(shape=(2,))
        )
    inputs = [made[name] for name, above in parents.items() if not above]
    model = SymbolicModel(inputs, made[output], execution=execution)
    log.clear()
    return model, log


@given(graphs(), st.booleans())
def test_questions_and_executions_are_those_of_a_recursive_forward(
    parents: Parents, remember: bool
) -> None:
    output = list(parents)[-1]
    trace = lazy_steps if remember else forgetful_steps
    calls = trace(dataflow(parents, [output]), at_most=10_000)
    asked, executed = pulled(parents, output, remember)
    assert calls[-1].asked == asked == sum(call.kind != "execute" for call in calls)
    assert executed_of(calls, parents) == executed
    assert calls[-1].executed == len(executed)
    assert calls[-1].waiting == ()


@pytest.mark.parametrize(("execution", "trace"), [("lazy", lazy_steps), ("ordered", ordered_steps)])
@pytest.mark.parametrize(
    ("parents", "output"),
    [
        (TINY, "sum"),
        (ladder(4), "join4"),
        ({"x": [], "y": [], "a": ["x"], "b": ["y", "a", "y"], "c": ["b", "a"]}, "c"),
        # c before b: an order that is not the one in which they were written
        ({"x": [], "b": ["x"], "c": ["x"], "d": ["c", "b"]}, "d"),
    ],
)
def test_the_library_executes_the_same_layers_in_the_same_order(
    execution: str, trace: Callable[..., tuple[ExecutionStep, ...]], parents: Parents, output: str
) -> None:
    model, log = modelled(parents, output, execution)
    model(*(torch.ones(1, 2) for _ in model.graph.inputs))
    assert executed_of(trace(dataflow(parents)), parents) == log


def test_who_waits_is_who_has_asked_and_not_been_answered() -> None:
    calls = lazy_steps(dataflow(TINY))
    names = list(TINY)
    shown = [(call.kind, names[call.value], [names[v] for v in call.waiting]) for call in calls]
    assert shown == [
        ("ask", "sum", ["sum"]),
        ("ask", "double", ["sum", "double"]),
        ("find", "x", ["sum", "double"]),
        ("execute", "double", ["sum"]),
        ("ask", "square", ["sum", "square"]),
        ("find", "x", ["sum", "square"]),
        ("execute", "square", ["sum"]),
        ("execute", "sum", []),
    ]
    assert [call.asker for call in calls[:3]] == [None, 3, 1]


def test_without_memory_a_diamond_doubles() -> None:
    def made(diamonds: int) -> Counter[int]:
        calls = forgetful_steps(dataflow(ladder(diamonds)), at_most=10_000)
        return Counter(call.value for call in calls if call.kind == "execute")

    for diamonds in (1, 2, 3, 4, 5):
        assert made(diamonds).total() == 3 * (2**diamonds - 1)
    assert lazy_steps(dataflow(ladder(5)))[-1].executed == 15
