from __future__ import annotations

import copy
import itertools
import pickle
import threading
from typing import Any

import pytest
import torch
from torch import nn

from hpml.base.operator_times import TimingError
from hpml.profiling import ProfilingError, operator_timing
from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError
from tests.parts import raises
from tests.stand_in import put_in

IMAGE = torch.rand(2, 1, 8, 8)


@pytest.fixture
def model() -> SymbolicModel:
    inputs = Input(shape=(1, 8, 8))
    return SymbolicModel(inputs, nn.ReLU()(nn.Conv2d(1, 2, 3)(inputs)))


def test_rows_add_up_and_the_last_run_is_shown(model: SymbolicModel) -> None:
    with operator_timing(model, sort="name", by_shape=True) as timing:
        model(IMAGE)
        model(IMAGE)
    shapes = {str(row[0]): row[1] for row in timing.last.by_shape().rows}
    assert shapes == {"Conv2d": "[2, 1, 8, 8]", "ReLU": "[2, 2, 6, 6]"}
    assert len(timing.runs) == 2
    assert all(sum(run.by_operator.values()) == run.total for run in timing.runs)
    assert str(timing) == str(timing.runs[-1])
    assert "Graph run of" in timing._repr_html_()
    assert list(timing.last.by_operator)[-1] == "[Other]"
    assert model._timing is None


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_it_is_off_after_an_error(model: SymbolicModel, error: type[BaseException]) -> None:
    def fail(*_: Any) -> None:
        raise error

    def work() -> None:
        with operator_timing(model) as timing:
            with next(model.children()).register_forward_hook(fail), pytest.raises(error):
                model(IMAGE)
            assert timing.runs == []
            model(IMAGE)
            assert len(timing.runs) == 1
            raise error

    with pytest.raises(error):
        work()
    assert model._timing is None


def test_nested_use_on_one_model_is_refused_and_the_outer_goes_on(model: SymbolicModel) -> None:
    with operator_timing(model) as timing:
        with (
            raises(ProfilingError, object="model of operator_timing", received="inside another"),
            operator_timing(model),
        ):
            pass
        model(IMAGE)
    assert len(timing.runs) == 1
    assert model._timing is None


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_copy_is_not_timed(model: SymbolicModel, copied: Any) -> None:
    with operator_timing(model) as timing:
        other = copied(model)
        other(IMAGE)
        assert timing.runs == []
        assert type(other) is type(model)
    assert other._timing is None


def test_two_threads_do_not_mix_their_runs(model: SymbolicModel) -> None:
    together = threading.Barrier(2)

    def work() -> None:
        together.wait()
        for _ in range(20):
            model(IMAGE)

    with operator_timing(model) as timing:
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [run.operator_count for run in timing.runs] == [2] * 40


def test_on_a_gpu_each_operator_is_waited_for(
    model: SymbolicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = put_in(monkeypatch)
    device.started = False
    with operator_timing(model) as timing:
        model(IMAGE)
        assert device.waited == []
        device.started = True
        model(IMAGE)
    assert len(device.waited) == len(timing.last.stamps)


def test_an_operator_that_only_launches_is_timed_to_the_end_of_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = put_in(monkeypatch)

    class Launching(nn.Module):
        def __init__(self, seconds: float) -> None:
            super().__init__()
            self.seconds = seconds

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            device.launch(self.seconds)
            return x

    inputs = Input(shape=(4,))
    model = SymbolicModel(inputs, Launching(8e-2)(Launching(8e-3)(inputs)))
    with operator_timing(model) as timing:
        model(torch.rand(2, 4))
    stamps = timing.last.stamps
    times = sorted(b - a for a, b in itertools.pairwise(stamps))
    assert 3 < times[-1] / times[-2] < 12


def test_printing_by_the_environment_steps_aside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HPML_TIMING", "sort=name")
    inputs = Input(shape=(4,))
    model = SymbolicModel(inputs, nn.ReLU()(nn.Tanh()(inputs)))
    with operator_timing(model) as timing:
        model(torch.rand(2, 4))
    assert len(timing.runs) == 1
    assert capsys.readouterr().out == ""
    model(torch.rand(2, 4))
    assert capsys.readouterr().out.startswith("Graph run of 2 ops")


def test_what_cannot_be_timed_is_refused(model: SymbolicModel) -> None:
    with pytest.raises(TimingError):
        operator_timing(model, sort="size").__enter__()
    compiled = torch.compile(model, backend="eager")
    refused = ((3, "3"), (nn.Linear(2, 2), "Linear("), (compiled, "OptimizedModule"))
    for other, received in refused:
        with raises(ProfilingError, object="model of operator_timing", received=received):
            operator_timing(other).__enter__()  # type: ignore[arg-type]
    model._cuda_graphs = True
    with pytest.raises(ArgumentError):
        operator_timing(model).__enter__()
    assert model._timing is None
    next(model.children()).compile(backend="eager")
    with raises(ProfilingError, object="model of operator_timing", received="compiled"):
        operator_timing(model).__enter__()


def test_without_a_run_there_is_no_last_one(model: SymbolicModel) -> None:
    with (
        operator_timing(model) as timing,
        raises(ProfilingError, object="runs of operator_timing", received="none yet"),
    ):
        _ = timing.last
