"""A deck with every widget, from a disk: it fits the screen, moves, and needs no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml.base.charts import Bar, bars, show
from hpml.course.labs.lab_11_gpu_benchmarks.explorer import launch_explorer
from hpml.course.release.slides.deck import deck
from hpml.profiling.call_tree import CallTree
from hpml.profiling.icicle import icicle
from tests.browser.accessibility import violations
from tests.browser.decks import move_all, opened, problems
from tests.browser.test_widths import WIDGETS
from tests.widgets.test_explore import computed

HEAD = """# Lab 99 · All

After it you can

- look at all (exercise 99.1).

**Time**: 1 minute."""


def shown(html: str) -> Any:
    output = new_output("display_data", {"text/plain": "a widget", "text/html": html})
    return new_code_cell("x", outputs=[output], execution_count=1)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    explored = computed(lambda n: show(bars([Bar("n", n)], title=f"{n}")), n=(3, 4))
    tree = CallTree("run", "run.py:1", 0.5, children=(CallTree("part", "run.py:9", 0.25),))
    widgets = {
        **{name: make() for name, make in WIDGETS.items()},
        "launches": launch_explorer().html,
        "explore": explored.html,
        "icicle": icicle(tree).html,
    }
    cells = [new_markdown_cell(HEAD)]
    for name, html in widgets.items():
        cells += [new_markdown_cell(f"## The {name}\n\nIt moves."), shown(html)]
    found = tmp_path_factory.mktemp("deck") / "deck.html"
    found.write_text(deck(new_notebook(cells=cells)), encoding="utf-8")
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_widget_fits_its_slide_and_moves_offline(
    path: Path, scheme: str, browser: Any
) -> None:
    page = opened(browser, path, scheme)
    assert page.locator("section").count() == 1 + len(WIDGETS) + 3
    assert problems(page, least=10) == []
    assert move_all(page) == []
    assert problems(page, least=10) == []
    assert violations(page) == []
    page.context.close()


def test_keys_turn_slides_unless_a_widget_has_the_focus(path: Path, browser: Any) -> None:
    page = opened(browser, path)
    where = "Math.round(document.scrollingElement.scrollTop / innerHeight)"
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{where} === 1")
    place = page.locator("section").nth(1).locator(".hpml-animation-place")
    place.click()
    page.keyboard.press("ArrowRight")
    assert place.inner_text().startswith("2 /")
    assert page.evaluate(where) == 1
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{where} === 2")
    page.context.close()


def test_the_notes_are_in_a_window_of_their_own(path: Path, browser: Any) -> None:
    page = opened(browser, path)
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    popup.value.get_by_text("look at all (exercise 99.1)").wait_for()
    assert "99.1" not in page.locator("section").first.inner_text()
    page.keyboard.press("PageDown")
    popup.value.get_by_text("Plan: ").wait_for()
    popup.value.get_by_text(f"2 of {len(WIDGETS) + 4}. Next: The graph browser").wait_for()
    page.context.close()
