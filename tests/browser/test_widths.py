"""Every widget on pages of 800 to 1,400 pixels: no text is clipped, and none over another."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from hpml.benchmark.roofline import Limits
from hpml.course.labs.lab_08_fusion_and_compilers.fusing import fusing
from hpml.course.labs.lab_12_training.float16_line import float16_line
from hpml.course.labs.lab_13_activations.branches import gradient_flow
from hpml.course.labs.lab_14_runtimes.ruler import outlier_ruler
from hpml.course.lesson.small_graphs import ladder
from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import execution_player, graph_browser, stepper
from hpml.widgets.code_view.view import look
from hpml.widgets.code_view.view import page as code_page
from tests.widgets.test_stepper import total

WIDTHS = range(800, 1401, 50)
# The texts that are seen, each where it is seen: what scrolls out of sight is cut off there.
TEXTS = """root => {
    const seen = [], problems = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement, text = node.textContent.trim();
        if (!text || !element.checkVisibility() || element.closest("style, script, option, select"))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) {
            let [left, top, right, bottom] = [rect.left, rect.top, rect.right, rect.bottom];
            for (let box = element; box && box !== root; box = box.parentElement) {
                const style = getComputedStyle(box), outer = box.getBoundingClientRect();
                if (style.overflowX === "visible" || box.closest("svg")) continue;
                const shortened = style.textOverflow === "ellipsis" || style.clipPath !== "none";
                if (style.overflowX !== "auto" && !shortened && right > outer.right + 1)
                    problems.push(text + " is clipped");
                left = Math.max(left, outer.left); right = Math.min(right, outer.right);
                top = Math.max(top, outer.top); bottom = Math.min(bottom, outer.bottom);
            }
            if (right > document.documentElement.clientWidth + 1 || left < -1)
                problems.push(text + " leaves the page");
            // Lines may touch; the middle of a line is where its letters are.
            const slack = Math.min(4, (bottom - top) / 4);
            if (right - left > 3 && bottom - top > 3)
                seen.push([node, left + 1, top + slack, right - 1, bottom - slack]);
        }
    }
    seen.forEach((a, i) => seen.slice(i + 1).forEach(b => {
        if (a[0] !== b[0] && a[1] < b[3] && b[1] < a[3] && a[2] < b[4] && b[2] < a[4])
            problems.push(a[0].textContent + " is over " + b[0].textContent);
    }));
    return [seen.length, problems];
}"""


def residual() -> SymbolicModel:
    x = Input(shape=(3, 8, 8))
    h = nn.ReLU()(nn.Conv2d(3, 4, 3, padding=1)(x))
    y = nn.Conv2d(4, 4, 3, padding=1)(h) + h
    return SymbolicModel(x, nn.Linear(256, 10)(nn.Flatten()(y)))


def code_view() -> str:
    model = residual()
    code = look(model, [torch.rand(2, 3, 8, 8)], "codegen", 10)
    return code_page(code, model.graph).html


def pieces(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < -2, 1 / x, torch.where(x < 3, x * x, x))


def roofline() -> str:
    ops = [("a", ["x"]), ("b", ["a"]), ("c", ["b", "x"])]
    shapes = dict.fromkeys("xabc", (4000, 4000))
    return fusing(Limits(1.7e10, 5.2e10), {}, ops, shapes, "One core.").html


def down(n: int) -> list[int]:
    return [n] if n == 0 else [*down(n - 1), n]


WIDGETS: dict[str, Callable[[], str]] = {
    "player": lambda: execution_player(ladder(3), ["without memory", "lazy"]).html,
    "graph browser": lambda: graph_browser(residual()).html,
    "stepper": lambda: stepper(total, [2, 3, 1]).html,
    "stepper of a recursion": lambda: stepper(down, 4).html,
    "code view": code_view,
    "ruler": lambda: outlier_ruler([k / 15 for k in range(-15, 16)]).html,
    "flow of gradients": lambda: gradient_flow({"pieces": pieces}, [-4.0, 0.0, math.inf]).html,
    "roofline": roofline,
    "line of float16": lambda: float16_line(torch.tensor([2.0**-30, 2.0**-12])).html,
}


@pytest.mark.parametrize("name", WIDGETS)
def test_no_text_is_clipped_or_over_another(name: str, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "widget.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{WIDGETS[name]()}", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    root = page.locator("body > div").first
    root.focus()
    problems = []
    for number, width in enumerate(WIDTHS):
        page.set_viewport_size({"width": width, "height": 720})
        # Another step at each width, so that many are seen.
        for _ in range(min(number, 5)):
            page.keyboard.press("ArrowRight")
        seen, found = root.evaluate(TEXTS)
        assert seen > 5
        problems += [f"{width}: {problem}" for problem in found]
    page.close()
    assert problems == []


def test_the_panes_of_the_stepper_share_a_screen(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "widget.html"
    animation = stepper(total, [2, 3, 1]).html
    path.write_text(f"<!doctype html><meta charset=utf-8>{animation}", encoding="utf-8")
    # What JupyterLab leaves to an output on a screen of 1280 by 720.
    page = browser.new_page(viewport={"width": 1120, "height": 720})
    page.goto(path.as_uri())
    page.locator(".hpml-animation").focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    bench = page.locator(".bench").bounding_box()
    controls = page.locator(".hpml-animation-controls").bounding_box()
    page.close()
    assert bench["y"] + bench["height"] - controls["y"] < 600
