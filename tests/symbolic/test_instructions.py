"""Counting bytecode: what stands in a source, and what a forward executes."""

from __future__ import annotations

import sys

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, GraphError, Input, SymbolicModel
from hpml.symbolic.config import loop_length
from hpml.symbolic.execution import instructions
from hpml.symbolic.execution.instructions import count_instructions, written_instructions


def chain(layers: int, execution: str) -> SymbolicModel:
    x = inputs = Input(shape=(4,))
    for _ in range(layers):
        x = nn.Identity()(x)
    return SymbolicModel(inputs, x, execution=execution)


def test_a_loop_is_written_once_and_executed_for_each_layer() -> None:
    x = torch.rand(1, 4)
    with loop_length(2):
        few, many = chain(10, "codegen"), chain(30, "codegen")
    assert written_instructions(few.source) == written_instructions(many.source)
    assert count_instructions(many, x) - count_instructions(few, x) >= 20


def test_lines_are_written_for_each_layer() -> None:
    with loop_length(float("inf")):
        few, many = chain(10, "codegen"), chain(30, "codegen")
    more = written_instructions(many.source) - written_instructions(few.source)
    assert more % 20 == 0
    assert more >= 60


@pytest.mark.parametrize("execution", ["lazy", "ordered"])
def test_what_walks_the_graph_is_as_long_for_every_graph(execution: str) -> None:
    sources = [chain(n, execution).source for n in (3, 30)]
    counts = [written_instructions(source) for source in sources]
    assert counts[0] == counts[1]
    # The inner function that runs, not the outer one that prepares.
    assert counts[0] > written_instructions("def forward(self, h):\n    return h")


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_counting_leaves_no_tracer_behind(execution: str) -> None:
    before = sys.gettrace()
    assert count_instructions(chain(3, execution), torch.rand(1, 4)) > 0
    assert sys.gettrace() is before


def test_the_first_count_is_that_of_the_second() -> None:
    model, x = chain(12, "codegen"), torch.rand(1, 4)
    assert count_instructions(model, x) == count_instructions(model, x)


def test_a_count_of_zero_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "watch_instructions", lambda run, report, within: run())
    with pytest.raises(GraphError):
        count_instructions(chain(3, "codegen"), torch.rand(1, 4))
