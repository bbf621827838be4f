from __future__ import annotations

import sys

import pytest
import torch
from torch import nn

from hpml.base.errors import describe
from hpml.course.runtimes import (
    InputError,
    NotInstalledError,
    OnnxSession,
    RuntimesError,
    export_onnx,
    optimised_operators,
    runtimes,
    session,
    tensorrt_missing,
)
from tests.parts import raises

X = torch.rand(2, 4)
MODEL = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3)).eval()


@pytest.fixture(scope="module")
def exported():
    return export_onnx(MODEL, X)


@pytest.mark.parametrize("level", ["off", "basic", "all"])
@pytest.mark.parametrize("threads", [1, 2])
def test_results_are_eagers(exported, level, threads) -> None:
    run = OnnxSession(exported, optimisation=level, threads=threads)
    torch.testing.assert_close(run(X), MODEL(X).detach(), rtol=1e-4, atol=1e-6)


def test_several_results_come_as_a_tuple() -> None:
    class Two(nn.Module):
        def forward(self, x):
            return x + 1, x * 2

    more, twice = OnnxSession(export_onnx(Two(), X))(X)
    assert torch.equal(more, X + 1)
    assert torch.equal(twice, X * 2)


def test_optimising_makes_one_operator_of_several() -> None:
    class Activation(nn.Module):
        def forward(self, x):
            return x * 0.5 * (1 + torch.erf(x / 2**0.5))

    written = export_onnx(Activation(), X)
    assert len(optimised_operators(written, "off")) > 1
    assert optimised_operators(written, "all") == {"Gelu": 1}


@pytest.mark.parametrize("given", [torch.rand(3, 4), torch.rand(2, 4).double()])
def test_another_input_is_a_clear_error(exported, given) -> None:
    name = "inputs of the exported model"
    received = f"{list(given.shape)} of {str(given.dtype)[6:]}"
    with raises(InputError, object=name, expected="[2, 4] of float32", received=received):
        OnnxSession(exported)(given)
    with raises(InputError, object=name, received="none"):
        OnnxSession(exported)()
    with raises(InputError, object=name, received="ndarray", remedy="from_numpy"):
        OnnxSession(exported)(X.numpy())


def test_unknown_settings_are_refused(exported) -> None:
    name = "optimisation and threads of OnnxSession"
    with raises(RuntimesError, object=name, expected="off, basic, all", received="'most'"):
        OnnxSession(exported, optimisation="most")
    for threads in (0, "2"):
        with raises(RuntimesError, object=name, expected="1", received=f"'all' and {threads!r}"):
            OnnxSession(exported, threads=threads)


def test_a_model_exported_in_training_mode_is_not_run() -> None:
    name = "model of OnnxSession"
    with raises(RuntimesError, object=name, received="training", remedy="training=False"):
        OnnxSession(export_onnx(nn.BatchNorm1d(4), X, training=True))


def test_a_missing_runtime_says_how_to_install_it(exported, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    remedy = "pip install -c constraints.txt onnxruntime"
    with raises(NotInstalledError, object="onnxruntime", remedy=remedy):
        OnnxSession(exported)
    found = runtimes(MODEL, X, compiled=False)
    assert list(found.runs) == ["eager"]
    assert "onnxruntime is not installed" in str(found)


class WithTensorRT:
    """Stands for a build of ONNX Runtime that has TensorRT."""

    @staticmethod
    def get_available_providers():
        return ["TensorrtExecutionProvider", "CPUExecutionProvider"]


def test_tensorrt_is_asked_for_or_said_to_be_missing(exported, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    name, remedy = "TensorRT through ONNX Runtime", "pip install onnxruntime-gpu tensorrt"
    with raises(NotInstalledError, object=name, received="no GPU", remedy=remedy):
        OnnxSession(exported, tensorrt=True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(session, "require", lambda *names: [WithTensorRT])
    assert tensorrt_missing() == ""


def test_every_runtime_here_is_compared_with_eager(monkeypatch) -> None:
    monkeypatch.setattr("hpml.course.runtimes.contenders.why_not_inductor", lambda: "g++ is a stub")
    found = runtimes(MODEL, X, threads=(1, 2))
    assert list(found.runs)[-1] == "ONNX Runtime, all, 2 threads"
    assert max(found.distances.values()) <= 1e-3
    assert found.distances["eager"] == 0
    assert "g++ is a stub" in str(found)
    assert torch.equal(found.runs["eager"](), MODEL(X))


class Several(nn.Module):
    """A mask, infinities, no numbers, nothing, and a small result beside a large one."""

    def __init__(self, wrong: float = 0.0) -> None:
        super().__init__()
        self.wrong = wrong

    def forward(self, x):
        masked = torch.where(x > 0.5, x, -torch.inf)
        return x > 0.5, masked, (x - 2).sqrt(), x[:0], 1e5 * x, x.softmax(1) + self.wrong


def test_results_of_any_kind_are_compared_each_by_itself() -> None:
    right = runtimes(Several(), X, compiled=False)
    assert max(right.distances.values()) <= 1e-3
    name = "ONNX Runtime, off"
    with raises(RuntimesError, object=name, expected="eager", received="differs by", remedy="not"):
        runtimes(Several(), X, compiled=False, exported=export_onnx(Several(0.1), X))


def test_the_callers_model_goes_on_training() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout())
    assert max(runtimes(model, X, compiled=False).distances.values()) <= 1e-3
    assert model.training


def test_what_is_no_exported_model_and_what_has_no_kernel_is_said(tmp_path) -> None:
    path = str(tmp_path / "model.onnx")
    with raises(RuntimesError, object="model of OnnxSession", received=describe(path)):
        OnnxSession(path)  # type: ignore[arg-type]
    wide = export_onnx(nn.Conv2d(1, 1, 1).double(), torch.rand(1, 1, 2, 2).double())
    with raises(RuntimesError, object="ONNX Runtime", received="Conv", remedy="float32"):
        OnnxSession(wide)


def test_a_runtime_that_computes_something_else_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(OnnxSession, "__call__", lambda self, x: MODEL(x) + 1)
    with raises(RuntimesError, object="ONNX Runtime, off", expected="the result of eager"):
        runtimes(MODEL, X, compiled=False)


@pytest.mark.parametrize(
    ("model", "threads", "name", "received"),
    [
        (abs, (1,), "model of runtimes", describe(abs)),
        (MODEL, 2, "threads of runtimes", "2"),
        (MODEL, (), "threads of runtimes", "()"),
    ],
)
def test_what_is_no_model_and_no_numbers_of_threads_are_refused(model, threads, name, received):
    with raises(RuntimesError, object=name, received=received):
        runtimes(model, X, threads=threads, compiled=False)
