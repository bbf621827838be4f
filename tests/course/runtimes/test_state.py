"""Models that change state or input, and models whose result is a dictionary."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from hpml.course.runtimes import ExportError, OnnxSession, RuntimesError, export_onnx, runtimes

X = torch.ones(2, 4)


class CountsInBuffer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n: Tensor
        self.register_buffer("n", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        return x + self.n


class CountsInAttribute(nn.Module):
    n = 0

    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        return x + self.n


class Remembers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        self.seen.append(len(self.seen))
        return x + len(self.seen)


class ChangesInput(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x += 1
        return x * 2


class Named(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Tensor]:
        return {"double": 2 * x, "half": x / 2}


@pytest.mark.parametrize("model", [CountsInBuffer, CountsInAttribute, Remembers, ChangesInput])
def test_state_that_a_graph_would_drop_is_refused(model: type[nn.Module]) -> None:
    pytest.importorskip("onnxscript")
    made = model()
    before = dict(made.state_dict()), getattr(made, "n", None), len(getattr(made, "seen", ()))
    with pytest.raises(ExportError):
        export_onnx(made, X.clone())
    after = dict(made.state_dict()), getattr(made, "n", None), len(getattr(made, "seen", ()))
    assert before == after


def test_statistics_of_batch_normalisation_are_no_state_in_evaluation_mode() -> None:
    pytest.importorskip("onnxscript")
    assert export_onnx(nn.Sequential(nn.BatchNorm1d(4)).eval(), X).nodes


def test_a_session_keeps_the_structure_of_the_result() -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnxscript")
    result = OnnxSession(export_onnx(Named(), X))(X)
    assert list(result) == ["double", "half"]
    assert torch.equal(result["double"], 2 * X)


def test_a_model_that_changes_its_input_is_not_blamed_on_a_runtime() -> None:
    x = X.clone()
    with pytest.raises(RuntimesError) as caught:
        runtimes(ChangesInput(), x, compiled=False)
    assert not isinstance(caught.value, ExportError)
    assert "ONNX Runtime" not in str(caught.value)
    assert torch.equal(x, X)
