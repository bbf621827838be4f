"""The controls of `explore`, in JupyterLab and on a page from a disk, without a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hpml.base.page import Page
from hpml.widgets.explore.states import Control
from tests.browser.accessibility import violations
from tests.widgets.test_explore import computed

PICTURES = """\
from hpml.base.charts import Bar, bars, show; from hpml.widgets import explore
explore(lambda n: show(bars([Bar('n', n)], title=f'{n}'), text=f'{n}'), n=[3, 4, 5])"""
THINGS = """\
from hpml.bytecode import object_header; from hpml.widgets import explore
things = {'an int': 1000, 'a list': [1000, 2000], 'a text': '<spam>'}
explore(lambda thing, n: [object_header(things[thing]), n * n][n > 3],
        thing=list(things), n=[3, 4, 5])"""


def test_below_a_picture_the_one_before_stays(scratch: Any) -> None:
    scratch.show(PICTURES)
    page = scratch.page
    picture = page.locator("[data-state]:not([hidden]) img")
    seen = []
    for _ in range(2):
        before = picture.get_attribute("src")
        page.get_by_role("slider", name="n").press("ArrowRight")
        page.locator(f".hpml-before img[src='{before}']").wait_for()
        seen.append(before)
    assert picture.get_attribute("src") not in seen
    assert len(set(seen)) == 2
    assert page.locator(".hpml-before img").count() == 1
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "5"


def test_what_is_explored_is_chosen_by_keyboard_and_without_a_kernel(scratch: Any) -> None:
    scratch.show(THINGS)
    page, result = scratch.page, scratch.page.locator("[data-state]:not([hidden])")
    scratch.saw("ob_digit 1000")
    for expected in ("→ int 2000", "str '<spam>' at"):
        page.get_by_role("combobox", name="thing").focus()
        page.keyboard.press("ArrowDown")
        result.get_by_text(expected).first.wait_for()
    page.get_by_role("slider", name="n").press("ArrowRight")
    assert result.inner_text().strip() == "16"
    page.keyboard.press("x")
    assert result.inner_text().strip() == "16"
    assert page.locator("[data-state]").count() == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_from_a_disk_shows_each_state_and_prints_the_choice(
    scheme: Any, browser: Any, tmp_path: Path
) -> None:
    states = computed(lambda n, w: Page("", f"<p>{w * n}</p>"), n=(1, 2, 3), w=("a", "b"))
    assert states.controls[0] == Control("n", (1, 2, 3))
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{states.html}{states.html}", "utf-8")
    context = browser.new_context(offline=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    first, second = page.get_by_role("group", name="Choose n, w").all()
    first.get_by_role("slider").press("End")
    first.get_by_role("combobox").select_option("b")
    # Two copies of the same output move separately.
    assert "bbb" in first.inner_text()
    assert "bbb" not in second.inner_text()
    assert violations(page) == []
    page.emulate_media(media="print")
    assert first.locator("output").is_visible()
    assert not first.get_by_role("slider").is_visible()
    context.close()
