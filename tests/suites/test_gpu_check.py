from __future__ import annotations

import pytest

from hpml.cli import main
from hpml.suites.gpu_check import gpu_check


@pytest.mark.thorough
@pytest.mark.filterwarnings("default")  # those of torch.compile itself
def test_on_a_cpu_only_what_needs_a_card_fails() -> None:
    failed = {each.name for each in gpu_check("cpu").tried if each.error}
    assert failed == {
        "events (lab 11)",
        "two streams (lab 08)",
        "pinned memory (lab 11)",
        "peak memory (lab 03)",
        "symbolic model, CUDA graphs (lab 11)",
        "hpml bench toy-resnet, CUDA graphs",
        "hpml bench convnext-train, every recipe",
    }


@pytest.mark.gpu
def test_on_a_gpu_everything_works() -> None:
    assert [each for each in gpu_check().tried if each.error] == []


def test_without_a_gpu_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert main(["doctor", "--gpu-check"]) == 1
    assert capsys.readouterr().err
