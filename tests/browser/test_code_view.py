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


def shown(lab: Any, selector: str) -> Any:
    """Return what matches within the state that is shown."""
    return lab.page.locator(f"[data-state]:not([hidden]) {selector}")


def lit(lab: Any, kind: str) -> list[str]:
    found: list[str] = shown(lab, f".hpml-code-view {kind}.lit").evaluate_all(
        "parts => parts.map(part => part.textContent.trim())"
    )
    return found


def choose(lab: Any, control: str, option: str) -> None:
    lab.page.get_by_role("combobox", name=control).select_option(option)


def headed(lab: Any, text: str) -> None:
    shown(lab, ".hpml-headline").filter(has_text=text).wait_for()


def source(lab: Any) -> str:
    text: str = shown(lab, ".source").inner_text()
    return text


def test_the_execution_and_the_loop_length_are_chosen(lab: Any, server: Any) -> None:
    assert "for layer" not in source(lab)
    choose(lab, "loops", "loops from 3 layers")
    headed(lab, "codegen, loops from 3 layers")
    before = lab.page.locator(".hpml-before").text_content()
    assert before.startswith("Before: codegen, loops from 10 layers:")
    assert source(lab).count("for layer in") == 2
    choose(lab, "execution", "inlined")
    headed(lab, "inlined, loops from 3 layers: generated source")
    assert "linear(" in source(lab)
    choose(lab, "execution", "lazy")
    headed(lab, "lazy: no generated source.")
    # The library's own function is the answer to no question here: it is folded.
    assert not shown(lab, ".source").is_visible()
    shown(lab, "summary").filter(has_text="The library's function").click()
    assert "while waiting" in source(lab)
    lab.save()
    assert "<b>lazy:</b> no generated source." in (server.folder / lab.name).read_text(
        encoding="utf-8"
    )


def test_a_line_and_its_layers_point_at_each_other(lab: Any) -> None:
    shown(lab, ".source li").filter(has_text="# Linear_2").hover()
    assert lit(lab, "g") == ["Linear_2", "h0: (None, 4)"]
    shown(lab, ".graph .label").filter(has_text="ReLU_2").hover()
    (line,) = lit(lab, "li")
    assert "# ReLU_2" in line
    area = shown(lab, ".source")
    area.focus()
    for number in (1, 2):
        area.press("ArrowDown")
        assert lit(lab, "g")[0] == f"Linear_{number}"
    # JupyterLab did not take the arrow for itself, to go to another cell.
    assert area.evaluate("area => document.activeElement === area")


def test_tab_lands_on_the_graph_where_the_arrow_keys_light_layers_and_lines(lab: Any) -> None:
    lab.page.get_by_role("combobox", name="loops").focus()
    lab.page.keyboard.press("Tab")
    assert shown(lab, ".graph").evaluate("area => document.activeElement === area")
    for number in (1, 2, 3):
        lab.page.keyboard.press("ArrowDown")
        (line,) = lit(lab, "li")
        assert line.endswith(f"# Linear_{number}")
        assert lit(lab, "g")[0] == f"Linear_{number}"
    lab.page.keyboard.press("Tab")
    assert shown(lab, ".source").evaluate("area => document.activeElement === area")
    assert lit(lab, "g") == []


def test_a_loop_is_one_box_and_lights_up_its_three_lines(lab: Any) -> None:
    choose(lab, "loops", "loops from 2 layers")
    lab.saw("codegen, loops from 2 layers")
    shown(lab, ".graph .folded").first.hover()
    assert [line.split()[1] for line in lit(lab, "li")] == ["h0", "for", "h0"]
