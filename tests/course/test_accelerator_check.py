from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from hpml import cli
from hpml.base import accelerator
from hpml.course import accelerator_check
from hpml.course.doctor import Finding
from tests.stand_in import put_in

QUICK = (
    "features", "memory", "timing", "events", "model, lazy", "model, CUDA graphs",
    "training, vanilla", "training, cuda-graphs", "training, resumed",
    "transformer, vanilla", "transformer, cuda-graphs", "transformer, generated",
)  # fmt: skip


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator_check, "_executions", lambda: ("lazy", "CUDA graphs"))
    monkeypatch.setattr(accelerator_check, "_recipes", lambda: ("vanilla", "cuda-graphs"))
    monkeypatch.setattr(accelerator_check, "get_args", lambda _: ("float64", "pinned"))
    monkeypatch.setattr(accelerator_check, "SIDES", (64, 256))


def states(report: accelerator_check.AcceleratorReport) -> dict[str, str]:
    return {found.name: found.state for found in report.findings}


def test_the_processor_agrees_with_itself_and_its_report_is_one_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.json"
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    assert cli.main(["doctor", "--accelerator", "cpu", "--out", str(out)]) == 0
    assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == before
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert tuple(found["name"] for found in kept["findings"]) == QUICK
    assert {found["state"] for found in kept["findings"]} == {"ok", "absent"}
    assert kept["machine"]["torch"] == torch.__version__
    assert "All is as on the CPU" in capsys.readouterr().out


def test_what_differs_or_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = accelerator_check._result_and_gradients
    calls: list[str] = []

    def spoiled(execution: str, device: str) -> list[torch.Tensor]:
        calls.append(execution)
        tensors = right(execution, device)
        return tensors if len(calls) == 1 else [tensors[0] * 1.01, *tensors[1:]]

    def losses(recipe: str, device: str, *, text: bool) -> list[float]:
        if text:
            return next(told)
        if recipe == "cuda-graphs":
            raise RuntimeError("an illegal access\nand more")
        return [1.0, 0.5] if losses_seen.append(recipe) or len(losses_seen) == 1 else [1.0, 0.6]

    losses_seen: list[Any] = []
    monkeypatch.setattr(accelerator_check, "_result_and_gradients", spoiled)
    monkeypatch.setattr(accelerator_check, "_losses", losses)
    told = iter([[1.0, 0.5], [1.0, 0.6], [1.0, 0.5], [1.0, 0.5]])
    texts = iter([[1] * 40, [1] * 39 + [2]])
    monkeypatch.setattr("hpml.course.models.generate", lambda *_, **__: next(texts))
    monkeypatch.setattr(accelerator_check, "GROWTH", (1e6, 1e7))
    report = accelerator_check.verify("cpu")
    wrong = {name for name, state in states(report).items() if state == "warning"}
    assert wrong == {
        "timing",
        "model, lazy",
        "training, vanilla",
        "training, cuda-graphs",
        "transformer, vanilla",
        "transformer, generated",
    }
    assert not report.ok
    said = {found.name: found for found in report.findings}
    assert "waited for" in said["timing"].cost
    assert said["transformer, generated"].value == "39 of 40 characters the CPU's"
    assert said["training, cuda-graphs"].value == "RuntimeError: an illegal access"


def test_an_exception_of_a_device_is_a_finding() -> None:
    def check(device: str) -> Finding:
        raise NotImplementedError("aten::square is not there\non this device")

    found = accelerator_check._tried("model, lazy", check, "mps")
    assert (found.state, found.name) == ("warning", "model, lazy")
    assert found.value == "NotImplementedError: aten::square is not there"


def test_without_an_accelerator_nothing_is_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: None)
    assert cli.main(["doctor", "--accelerator"]) == 1
    assert "nothing was tried" in capsys.readouterr().out
    assert cli.main(["doctor", "--accelerator", "cuda:7"]) == 2
    assert "'cuda:7'" in capsys.readouterr().err
    assert cli.main(["doctor", "--out", "x.json"]) == 2


def test_on_a_device_that_cannot_compute_every_check_is_still_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_in(monkeypatch)
    monkeypatch.setattr(accelerator, "can", lambda feature, device: False)
    report = accelerator_check.verify("meta")
    assert tuple(states(report)) == QUICK
    assert states(report)["model, lazy"] == "warning"
    assert states(report)["events"] == "absent"
