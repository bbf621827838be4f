"""The roofline of lab 08: each step fuses more, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hpml.benchmark.roofline import Kernel, Limits
from hpml.course.labs.lab_08_fusion_and_compilers.fusing import fusing
from tests.browser.accessibility import ALL, violations


def test_each_step_fuses_more_until_arithmetic_is_the_bound(offline: Any, tmp_path: Path) -> None:
    ops = [("a", ["x"]), ("b", ["a", "x"])]
    shapes = dict.fromkeys("xab", (1000,))
    limits = Limits(bandwidth=1e10, peak=5e9)
    measured = {"apart": Kernel(2000, 20_000, 4e-6)}
    path = tmp_path / "fusing.html"
    html = fusing(limits, measured, ops, shapes, "One core.").html
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    offline.goto(path.as_uri())
    said = offline.get_by_role("status")
    assert "2 loops: 19.5 KiB moved, 0.1 operations per byte" in said.inner_text()
    assert "memory allows 1 GFLOP/s, measured 0.5: 50 % of it" in said.inner_text()
    assert violations(offline, ".hpml-animation", ALL) == []
    offline.get_by_role("button", name="One step on").click()
    assert "1 loop: 7.81 KiB moved, 0.25 operations per byte" in said.inner_text()
    assert "memory allows 2.5 GFLOP/s, not measured here" in said.inner_text()
    offline.keyboard.press("ArrowRight")
    assert "1 loop, 8 operations" in said.inner_text()
    assert "arithmetic allows 5 GFLOP/s" in said.inner_text()
    shown = offline.get_by_role("img", name="Loops and roofline").text_content()
    assert "loop 1: reads x; writes b" in shown
    assert "3 / 3" in offline.locator(".hpml-animation-place").inner_text()
    assert offline.errors == []
