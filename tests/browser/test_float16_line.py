"""The line of float16 in lab 12: a scale is chosen by the slider and by the keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from hpml.course.labs.lab_12_training.float16_line import float16_line
from tests.browser.accessibility import ALL, violations


def test_a_larger_scale_moves_gradients_from_one_end_of_float16_to_the_other(
    offline: Any, tmp_path: Path
) -> None:
    path = tmp_path / "line.html"
    html = float16_line(torch.tensor([2.0**-30, 2.0**-20])).html
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    offline.goto(path.as_uri())
    said = offline.get_by_role("status")
    assert said.inner_text().startswith("times 2⁰: 50.0 % become 0, 50.0 % keep fewer digits")
    assert "the step is taken" in said.inner_text()
    first = offline.locator(".bar").first.bounding_box()
    slider = offline.get_by_role("slider", name="Step")
    slider.fill("4")
    assert said.inner_text().startswith("times 2¹⁶: 0.0 % become 0, 0.0 % keep fewer digits")
    assert offline.locator(".bar").first.bounding_box()["x"] > first["x"]
    slider.focus()
    offline.keyboard.press("End")
    assert "50.0 % become infinite; the step is skipped" in said.inner_text()
    assert violations(offline, ".hpml-animation", ALL) == []
    assert offline.errors == []
