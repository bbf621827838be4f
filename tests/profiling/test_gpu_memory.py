"""Peak memory of a GPU: asked of PyTorch in the right order; without one, an error."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from hpml.profiling import ProfilingError, peak_allocated


def test_without_a_gpu_it_says_what_to_use_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ProfilingError):
        peak_allocated(torch.ones, 3)
    with pytest.raises(ProfilingError):
        peak_allocated(3)  # type: ignore[arg-type]


def test_the_peak_starts_anew_and_the_device_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def fake(name: str, value: Any) -> None:
        def call() -> Any:
            calls.append(name)
            return value

        monkeypatch.setattr(torch.cuda, name, call)

    values = {"is_available": True, "synchronize": None, "reset_peak_memory_stats": None,
              "memory_allocated": 1000, "max_memory_allocated": 5000, "memory_reserved": 2**21,
              "get_device_name": "A GPU"}  # fmt: skip
    for name, value in values.items():
        fake(name, value)
    found = peak_allocated(lambda: calls.append("run"))
    order = [call for call in calls if call not in ("is_available", "get_device_name")]
    assert order == ["synchronize", "memory_allocated", "reset_peak_memory_stats", "run",
                     "synchronize", "max_memory_allocated", "memory_allocated",
                     "memory_reserved"]  # fmt: skip
    assert found.column("bytes") == (1000, 5000, 1000, 2**21)


@pytest.mark.gpu
def test_a_temporary_is_part_of_the_peak() -> None:
    found = peak_allocated(lambda: torch.ones(2**20, device="cuda").sum())
    before, peak, after, reserved = found.column("bytes")
    assert peak - before >= 4 * 2**20
    assert after - before < 2**20 <= reserved
