"""The code view in JupyterLab: its controls, and graph and source that point at each other."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = """\
import torch
from torch import nn
from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import code_view
def blocks(count, run):
    x = inputs = Input(shape=(4,))
    for _ in range(count):
        y = x
        for _ in range(run):
            y = nn.Linear(4, 4)(y)
        x = x + nn.ReLU()(y)
    return SymbolicModel(inputs, x)"""


@pytest.fixture
def lab(scratch: Any) -> Any:
    scratch.show(HEAD, "code_view(blocks(2, 3), torch.rand(4, 4))")
    scratch.saw("codegen, loops from 10 layers")
    return scratch


def lit(lab: Any, kind: str) -> list[str]:
    found: list[str] = lab.page.locator(f".hpml-code-view {kind}.hpml-lit").evaluate_all(
        "parts => parts.map(part => part.title || part.innerText.trim())"
    )
    return found


def source(lab: Any) -> str:
    text: str = lab.page.locator(".hpml-source").inner_text()
    return text


def test_it_is_operated_by_mouse(lab: Any, shot: Any) -> None:
    assert "for layer" not in source(lab)
    lab.page.get_by_role("button", name="lazy").click()
    lab.saw("lazy: nothing is generated.")
    # The library's own function is the answer to no question here: it is folded.
    assert not lab.page.get_by_text("while waiting").is_visible()
    shot(lab, "code_view_folded")
    lab.page.locator("summary", has_text="The library's function").click()
    assert "while waiting" in source(lab)
    lab.page.get_by_role("button", name="inlined").click()
    lab.saw("inlined, loops from 10 layers: generated source")
    assert "linear(" in source(lab)


def test_it_is_operated_by_keyboard(lab: Any) -> None:
    slider = lab.page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowLeft")
    lab.saw("codegen, loops from 5 layers")
    slider.press("ArrowLeft")
    lab.saw("codegen, loops from 3 layers")
    assert source(lab).count("for layer in") == 2
    lab.page.get_by_role("button", name="ordered").press("Enter")
    lab.saw("ordered: nothing is generated.")
    lab.saw("ordered generates no source")
    lab.page.get_by_role("button", name="codegen").press("Enter")
    # The length chosen before is remembered.
    lab.saw("codegen, loops from 3 layers")


def test_a_line_and_its_layers_point_at_each_other(lab: Any, shot: Any) -> None:
    lab.page.locator(".hpml-source li", has_text="# Linear_2").hover()
    assert set(lit(lab, "span")) == {"Linear_2"}
    lab.page.locator('.hpml-graph span[title="ReLU_2"]').first.hover()
    (line,) = lit(lab, "li")
    assert "# ReLU_2" in line
    shot(lab, "code_view_pointing")

    area = lab.page.locator(".hpml-source")
    area.focus()
    area.press("ArrowDown")
    assert set(lit(lab, "span")) == {"Linear_1"}
    area.press("ArrowDown")
    assert set(lit(lab, "span")) == {"Linear_2"}
    # JupyterLab did not take the arrow for itself, to go to another cell.
    assert area.evaluate("area => document.activeElement === area")


def test_tab_lands_on_the_graph_where_the_arrow_keys_light_layers_and_lines(
    lab: Any, shot: Any
) -> None:
    lab.page.get_by_role("slider").focus()
    lab.page.keyboard.press("Tab")  # the slider's readout can be typed in
    lab.page.keyboard.press("Tab")
    assert lab.page.locator(".hpml-graph").evaluate("area => document.activeElement === area")
    seen = []
    for _ in range(3):
        lab.page.keyboard.press("ArrowDown")
        (line,) = lit(lab, "li")
        # The layer's label and its value.
        seen.append((*lit(lab, "span"), line.split("# ")[1]))
    assert seen == [(f"Linear_{n}",) * 3 for n in (1, 2, 3)]
    shot(lab, "code_view_keyboard")
    lab.page.keyboard.press("ArrowUp")
    assert lit(lab, "span") == ["Linear_2"] * 2
    lab.page.keyboard.press("Tab")
    assert lab.page.locator(".hpml-source").evaluate("area => document.activeElement === area")
    assert lit(lab, "span") == []


def test_a_loop_is_one_box_and_lights_up_its_three_lines(lab: Any) -> None:
    lab.page.get_by_role("slider").press("Home")
    lab.saw("codegen, loops from 2 layers")
    lab.page.locator('.hpml-graph span[title="Linear_1 to ReLU_1"]').first.hover()
    assert [line.split()[1] for line in lit(lab, "li")] == ["h0", "for", "h0"]


def test_the_last_state_survives_saving_and_needs_no_kernel(lab: Any, server: Any) -> None:
    lab.page.get_by_role("button", name="ordered").click()
    lab.saw("ordered: nothing is generated.")
    lab.save()
    saved = (server.folder / lab.name).read_text(encoding="utf-8")
    assert "ordered: nothing is generated." in saved
    assert "data:image/png;base64" in saved
