"""Operator timing of models, switched on by a ``with`` and off by whatever ends it."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from hpml.profiling import ProfilingError, operator_timing
from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(1, 2, 3)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Linear(18, 3)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.pool(self.convolution(image)))
        x = self.out(x.reshape(x.shape[0], -1))
        return torch.cat([1 - x, x + x], 1)


IMAGE = torch.rand(2, 1, 8, 8)


def symbolic() -> SymbolicModel:
    inputs = Input(shape=(1, 8, 8))
    return SymbolicModel(inputs, nn.ReLU()(nn.Conv2d(1, 2, 3)(inputs)))


MODELS: list[Callable[[], Any]] = [Network, symbolic]


def is_off(model: nn.Module) -> bool:
    return (
        not any("_compiled_call_impl" in part.__dict__ for part in model.modules())
        and getattr(model, "_timing", None) is None
    )


def test_operators_of_a_module_are_the_modules_in_it() -> None:
    model = Network()
    with operator_timing(model) as timing:
        expected = model(IMAGE)
    (run,) = timing.runs
    assert [label.node for label in run.labels if label.node] == [
        *("convolution", "pool", "out", "Network")
    ]
    assert [label.operator for label in run.labels if label.node] == [
        *("Conv2d", "MaxPool2d", "Linear", "Network")
    ]
    assert torch.equal(model(IMAGE), expected)
    assert len(timing.runs) == 1


def test_by_shape_of_a_module() -> None:
    model = Network()
    with operator_timing(model, by_shape=True) as timing:
        model(IMAGE)
    rows = {str(row[0]): (row[1], row[6]) for row in timing.last.by_shape().rows}
    assert rows == {
        "Conv2d": ("[2, 1, 8, 8]", "convolution"),
        "MaxPool2d": ("[2, 2, 6, 6]", "pool"),
        "Linear": ("[2, 18]", "out"),
        "Network": ("[2, 1, 8, 8]", "Network"),
    }


def test_the_time_between_two_modules_counts_for_the_one_that_calls_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0]

    class Slow(nn.Module):
        def __init__(self, milliseconds: int, *parts: nn.Module) -> None:
            super().__init__()
            self.milliseconds, self.parts = milliseconds, nn.ModuleList(parts)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for part in self.parts:
                x = part(x)
                now[0] += self.milliseconds
            now[0] += self.milliseconds
            return x

    class Inner(Slow):
        pass

    class Leaf(Slow):
        pass

    monkeypatch.setattr("time.perf_counter_ns", lambda: now[0])
    model = Slow(1, Inner(10, Leaf(100), Leaf(100)), Leaf(0), Leaf(100))
    with operator_timing(model, sort="name") as timing:
        model(torch.ones(2))
    assert timing.last.by_operator == {"Inner": 30, "Leaf": 300, "Slow": 4, "[Other]": 0}


@pytest.mark.parametrize("make", MODELS)
def test_rows_add_up_and_the_last_run_is_shown(make: Callable[[], nn.Module]) -> None:
    model = make()
    with operator_timing(model, sort="name") as timing:
        model(IMAGE)
        model(IMAGE)
    assert len(timing.runs) == 2
    assert all(sum(run.by_operator.values()) == run.total for run in timing.runs)
    assert str(timing) == str(timing.runs[-1])
    assert "Graph run of" in timing._repr_html_()
    assert list(timing.last.by_operator)[-1] == "[Other]"
    assert is_off(model)


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_it_is_off_after_an_error(make: Callable[[], nn.Module], error: type) -> None:
    model = make()

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
    assert is_off(model)


@pytest.mark.parametrize("make", MODELS)
def test_nested_use_on_one_model_is_refused_and_the_outer_goes_on(
    make: Callable[[], nn.Module],
) -> None:
    model = make()
    with operator_timing(model) as timing:
        with (
            pytest.raises(ProfilingError),
            operator_timing(model),
        ):
            pass
        model(IMAGE)
    assert len(timing.runs) == 1
    assert is_off(model)


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_copy_is_not_timed(make: Callable[[], nn.Module], copied: Any) -> None:
    model = make()
    with operator_timing(model) as timing:
        other = copied(model)
        other(IMAGE)
        assert timing.runs == []
        assert type(other) is type(model)
    assert is_off(other)


def test_two_models_of_a_class_are_timed_apart_and_end_in_any_order() -> None:
    first, second = Network(), Network()
    one, two = operator_timing(first), operator_timing(second)
    of_first, of_second = one.__enter__(), two.__enter__()
    first(IMAGE)
    one.__exit__(None, None, None)
    first(IMAGE)
    second(IMAGE)
    two.__exit__(None, None, None)
    assert (len(of_first.runs), len(of_second.runs)) == (1, 1)
    assert is_off(first)


def test_two_threads_do_not_mix_their_runs() -> None:
    model = Network()
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
    assert [run.operator_count for run in timing.runs] == [4] * 40


def test_on_a_gpu_each_operator_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnGpu(torch.Tensor):
        is_cuda = True

    waited: list[Any] = []
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    model = nn.Sequential(nn.ReLU(), nn.ReLU())
    with operator_timing(model):
        model(torch.ones(2))
        assert waited == []
        model(torch.ones(2).as_subclass(OnGpu))
    assert len(waited) == 2 * len(list(model.modules()))  # before and after each


def test_printing_by_the_environment_steps_aside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HPML_TIMING", "sort=name")
    model = symbolic()
    with operator_timing(model) as timing:
        model(IMAGE)
    assert len(timing.runs) == 1
    assert capsys.readouterr().out == ""
    model(IMAGE)
    assert capsys.readouterr().out.startswith("Graph run of 2 ops")


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_a_compiled_model_is_refused() -> None:
    in_place = nn.Linear(2, 2)
    in_place.compile(backend="eager")
    compiled = torch.compile(nn.Linear(2, 2), backend="eager")
    script = torch.jit.script(nn.Linear(2, 2))
    for model in (compiled, in_place, script, *map(nn.Sequential, (compiled, in_place, script))):
        with pytest.raises(ProfilingError), operator_timing(model):  # type: ignore[arg-type]
            pass


def test_what_cannot_be_timed_is_refused() -> None:
    with pytest.raises(ProfilingError):
        operator_timing(3).__enter__()  # type: ignore[arg-type]
    with pytest.raises(ProfilingError):
        operator_timing(Network(), sort="size").__enter__()
    with operator_timing(Network()) as timing, pytest.raises(ProfilingError):
        str(timing)
    model = symbolic()
    model._cuda_graphs = True
    with pytest.raises(ArgumentError), operator_timing(model):
        pass
    assert is_off(model)
