"""A snapshot of a GPU's memory: computed from a record in PyTorch's format, or not yet recorded."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.profiler import record_function

from hpml.profiling import MemorySnapshot, ProfilingError, memory_snapshot
from tests.parts import raises

TORCH = {"filename": "/x/torch/nn/functional.py", "name": "linear", "line": 9}


def entry(action: str, addr: int, size: int, time: int, name: str = "train") -> dict[str, Any]:
    own = {"filename": "/home/me/train.py", "name": name, "line": 12}
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time,
            "frames": [TORCH, own]}  # fmt: skip


EVENTS = [
    entry("segment_alloc", 1, 2**21, 999_000),
    entry("alloc", 1, 1000, 1_000_000),
    entry("alloc", 2, 5000, 1_001_000, "backward"),
    entry("free_requested", 2, 5000, 1_002_000),
    entry("free_completed", 2, 5000, 1_002_000),
    entry("alloc", 2, 2000, 1_003_000),
]
SNAPSHOT = MemorySnapshot({"segments": [], "device_traces": [[], EVENTS]}, start=500)


def test_the_allocated_bytes_follow_the_events_and_begin_with_what_was_there() -> None:
    times, sizes = zip(*SNAPSHOT.allocated, strict=True)
    assert sizes == (1500, 6500, 1500, 3500)
    assert times == pytest.approx((0.0, 1e-3, 2e-3, 3e-3))
    assert SNAPSHOT.peak == 6500


def test_the_table_has_the_lines_outside_of_pytorch_that_hold_memory_at_the_peak() -> None:
    assert SNAPSHOT.table().rows == (
        ("backward (train.py:12)", 1, 5000),
        ("train (train.py:12)", 1, 1000),
    )


def test_a_record_is_drawn_and_saved_for_pytorchs_viewer(tmp_path: Path) -> None:
    bundle = SNAPSHOT._repr_mimebundle_()
    assert "image/png" in bundle
    assert "a peak of 6.35 KiB" in bundle["text/plain"]
    assert pickle.loads(SNAPSHOT.save(tmp_path / "a.pickle").read_bytes()) == SNAPSHOT.snapshot
    with raises(ProfilingError, object="file name of a memory snapshot", received="a.json"):
        SNAPSHOT.save(tmp_path / "a.json")


def test_without_a_gpu_nothing_is_drawn_or_saved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    called: list[int] = []
    found = memory_snapshot(called.append, 1)
    assert (found.recorded, called) == (False, [])
    bundle = found._repr_mimebundle_()
    assert "image/png" not in bundle
    assert "Not yet recorded" in bundle["text/plain"]
    with raises(ProfilingError, object="memory snapshot", received="not yet recorded"):
        found.save(tmp_path / "a.pickle")


def step(weight: torch.Tensor) -> torch.Tensor:
    with record_function("forward"):
        loss = (weight * 2).relu().sum()
    weight.grad = None
    with record_function("backward"):
        loss.backward()  # type: ignore[no-untyped-call]
    with record_function("update"):
        weight.data -= 0.1 * weight.grad.data  # type: ignore[union-attr]
    return loss


@pytest.fixture
def of_cpu() -> MemorySnapshot:
    return memory_snapshot(step, torch.rand(2**18, requires_grad=True), device="cpu")


def test_on_a_cpu_each_block_has_its_operator_and_its_part(of_cpu: MemorySnapshot) -> None:
    assert of_cpu.recorded
    assert of_cpu.start == pytest.approx(2**20, rel=0.01), "the gradient of the step before"
    assert [name for name, _, _ in of_cpu.parts] == ["forward", "backward", "update"]
    assert of_cpu.part_at_peak == "forward", "gradient, product and result of relu"
    assert of_cpu.peak == pytest.approx(3 * 2**20, rel=0.01)
    assert {"aten::mul, forward", "aten::relu, forward"} <= set(
        of_cpu.table().column("allocated by")
    )
    assert of_cpu.allocated[-1][1] == pytest.approx(2**20, rel=0.01), "again only the gradient"
    assert of_cpu.result.shape == ()


def test_the_parts_of_a_step_are_drawn_and_said(of_cpu: MemorySnapshot) -> None:
    bundle = of_cpu._repr_mimebundle_()
    assert "image/png" in bundle
    for part in ("forward: at most 3.0", "backward: at most", "update: at most 2.0"):
        assert part in bundle["text/plain"] + of_cpu.draw().plain


def test_a_snapshot_of_a_cpu_is_not_for_pytorchs_viewer(
    of_cpu: MemorySnapshot, tmp_path: Path
) -> None:
    with raises(ProfilingError, object="memory snapshot to save", received="one of the CPU"):
        of_cpu.save(tmp_path / "a.pickle")


def test_a_function_that_allocates_nothing_has_no_part_at_its_peak() -> None:
    found = memory_snapshot(lambda: None, device="cpu")
    assert (found.peak, found.part_at_peak, found.allocated) == (0, "", ())
    assert "image/png" in found._repr_mimebundle_()


def test_another_device_and_a_second_profiler_are_refused() -> None:
    with raises(ProfilingError, object="device of memory_snapshot", received="'abacus'"):
        memory_snapshot(lambda: None, device="abacus")  # type: ignore[arg-type]
    with (
        torch.profiler.profile(),
        raises(ProfilingError, object="memory_snapshot", received="one that is"),
    ):
        memory_snapshot(lambda: None, device="cpu")


@pytest.mark.gpu
def test_on_a_gpu_the_peak_is_that_of_the_allocator() -> None:
    def run() -> int:
        torch.cuda.reset_peak_memory_stats()
        kept = torch.ones(2**20, device="cuda")
        (kept * 2).sum().item()
        return torch.cuda.max_memory_allocated()

    run()
    found = memory_snapshot(run)
    assert found.peak == pytest.approx(found.result, rel=0.01)
    assert "test_memory_snapshot.py" in str(found)
