"""The flow of gradients in lab 13: a function and a number are chosen by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from hpml.course.labs.lab_13_activations.branches import gradient_flow
from tests.browser.accessibility import ALL, violations


def reciprocal(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < -2, 1 / x, torch.where(x < 3, x * x, x))


def clamped(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < -2, 1 / x.clamp(max=-2), torch.where(x < 3, x * x, x))


def test_a_gradient_is_chosen_by_mouse_and_by_keyboard_and_its_piece_is_named(
    offline: Any, tmp_path: Path
) -> None:
    path = tmp_path / "flow.html"
    html = gradient_flow({"plain": reciprocal, "safe": clamped}, [-4.0, 0.0]).html
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    offline.goto(path.as_uri())
    said = offline.get_by_role("status")
    offline.get_by_role("button", name="plain, x = 0").click()
    assert said.inner_text() == (
        "plain, x = 0: value 0, gradient NaN; NaN comes from the left piece"
    )
    picture = offline.get_by_role("img", name="Values and gradients of the pieces")
    assert "0 × −∞ = NaN" in picture.text_content()
    assert violations(offline, ".hpml-animation", ALL) == []
    offline.keyboard.press("ArrowDown")
    assert said.inner_text() == "safe, x = 0: value 0, gradient 0"
    assert "0 × 0 = 0" in picture.text_content()
    offline.keyboard.press("ArrowLeft")
    assert said.inner_text() == "safe, x = −4: value −0.25, gradient −0.0625"
    assert offline.errors == []
