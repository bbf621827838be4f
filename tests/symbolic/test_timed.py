from __future__ import annotations

import copy
import traceback
from typing import Any

import pytest
import torch
from torch import nn

from hpml.base.operator_times import OperatorTimes, Timing, TimingError
from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from tests.parts import raises
from tests.symbolic.models import PROGRAMS, linear_chain
from tests.symbolic.programs import assert_observations_equal, observe


def timed(model: SymbolicModel, **options: Any) -> list[OperatorTimes]:
    runs: list[OperatorTimes] = []
    model._set_timing(Timing(runs.append, **options))
    return runs


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_timed_model_equals_plain_pytorch_bit_for_bit(name: str, execution: str) -> None:
    torch.manual_seed(0)
    program = PROGRAMS[name](execution)
    program.modules.train(not (program.random and execution == "lazy"))
    expected = observe(program.plain, program)
    model = program.model(execution)
    runs = timed(model, by_shape=name > "f")
    received = observe(model, program)
    assert_observations_equal(received, expected)
    assert runs
    for run in runs:
        assert run.operator_count == len(model.graph.calls)
        assert sum(run.by_operator.values()) == run.total
        assert min(ns for _, ns in run._intervals()) >= 0
        assert str(run).startswith(f"Graph run of {run.operator_count} ops finished in ")


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("length", [3, 60], ids=["written out", "in a loop"])
def test_rows_are_the_layers_of_the_calls(execution: str, length: int) -> None:
    model = linear_chain(length, execution)
    runs = timed(model, by_shape=True)
    model(torch.ones(2, 4))
    first = "[Guard]" if execution == "inlined" else "[Layer lookup]"
    assert set(runs[0].by_operator) == {"Linear", "[Mem alloc/free]", "[Other]", first}
    assert runs[0].by_shape().column("shape") == ("[2, 4]",)
    assert runs[0].by_shape().column("count") == (length,)
    assert runs[0].by_shape().column("node") == ("Linear_1",)


def test_a_slow_operator_has_its_time_and_a_neighbour_has_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0]

    class Slow(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            now[0] += 1_000_000
            return x + 1

    monkeypatch.setattr("time.perf_counter_ns", lambda: now[0])
    inputs = Input(shape=(4,))
    model = SymbolicModel(inputs, nn.ReLU()(Slow()(nn.Linear(4, 4)(inputs))))
    runs = timed(model)
    now[0] = 0
    model(torch.ones(2, 4))
    assert {name: ns for name, ns in runs[0].by_operator.items() if ns} == {"Slow": 1_000_000}


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_an_error_names_the_layer_and_leaves_no_run(execution: str) -> None:
    inputs = Input(shape=(4,))
    model = SymbolicModel(inputs, nn.ReLU()(nn.Linear(4, 4)(inputs)), execution=execution)
    runs = timed(model)
    with pytest.raises(RuntimeError) as caught:
        model(torch.ones(2, 5))
    assert "In layer Linear_1" in "".join(traceback.format_exception(caught.value))
    assert runs == []
    model(torch.ones(2, 4))
    assert len(runs) == 1


def test_the_setting_counts_when_a_model_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = linear_chain(3, "codegen")
    monkeypatch.setenv("HPML_TIMING", "")
    model(torch.ones(2, 4))
    assert capsys.readouterr().out == ""
    copied = copy.deepcopy(model)
    for _ in range(2):
        copied(torch.ones(2, 4))
        assert capsys.readouterr().out.startswith("Graph run of 3 ops finished in ")
    monkeypatch.setenv("HPML_TIMING", "sort=name by-shape=1")
    linear_chain(3, "codegen")(torch.ones(2, 4))
    printed = capsys.readouterr().out
    rows = [line.split()[0] for line in printed.splitlines() if "%)" in line]
    assert rows[:4] == ["Linear", "[Layer", "[Mem", "[Other]"]
    assert "[2, 4]" in printed
    monkeypatch.setenv("HPML_TIMING", "by-shape=2")
    with raises(TimingError, object="HPML_TIMING", received="'by-shape=2'"):
        linear_chain(3, "codegen")
