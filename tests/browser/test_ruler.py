"""The ruler of lab 14: a pair of bits and outlier is chosen by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hpml.course.labs.lab_14_runtimes.ruler import outlier_ruler
from tests.browser.accessibility import ALL, violations


def test_a_larger_outlier_is_chosen_by_mouse_and_by_keyboard_and_costs_the_others(
    offline: Any, tmp_path: Path
) -> None:
    path = tmp_path / "ruler.html"
    html = outlier_ruler([0.5, -1.0, 0.25]).html
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    offline.goto(path.as_uri())
    said = offline.get_by_role("status")
    assert "4 bits, outlier 4 × the largest other weight" in said.inner_text()
    offline.get_by_role("button", name="4 bits, outlier 2 times the largest other weight").click()
    # The step is 2 / 7, so 0.5, -1 and 0.25 become 2, -4 and 1 steps: together 0.25 off, of 1.75.
    assert "a step of 0.29; on average the others are off by 14 %" in said.inner_text()
    offline.keyboard.press("ArrowRight")
    offline.keyboard.press("ArrowRight")
    assert "4 bits, outlier 8 ×" in said.inner_text()
    offline.keyboard.press("ArrowDown")
    assert "3 bits, outlier 8 ×" in said.inner_text()
    assert "off by 100 % of their size" in said.inner_text()
    found = violations(offline, ".hpml-animation", ALL)
    assert found == []
    assert offline.errors == []
