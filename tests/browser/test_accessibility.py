"""Every widget is named, in contrast and operated by keyboard, as far as a checker can tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.accessibility import dark, violations
from tests.browser.test_icicle import PROFILE
from tests.browser.test_players import BROWSER, PLAYER
from tests.browser.test_stepper import TOTAL
from tests.browser.test_widths import WIDGETS

WITH_A_KERNEL = {
    "animations": [PLAYER, BROWSER, TOTAL],
    "icicle": [PROFILE],
    "explore": [
        "from hpml.widgets import explore\nexplore(lambda n, w: n, n=[3, 4], w=['a', 'b'])"
    ],
    "question": [
        "from hpml.course import predict\npredict('How many?', unit='calls', key='axe')",
        "predict('Which?', choices=['one', 'two'], key='axe-two')",
    ],
    "tables": [
        "from hpml.course import check, progress, say\ncheck(lambda name: name)",
        "display(progress(), say('`code` and **more**'))",
    ],
}


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_violates_no_rule_on_a_page_of_its_own(
    name: str, browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "widget.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{WIDGETS[name]()}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 1120, "height": 720})
    page.goto(path.as_uri())
    page.locator("body > div").first.focus()
    found = violations(page, "body > div")
    page.keyboard.press("End")
    found += violations(page, "body > div")
    page.close()
    assert found == []


@pytest.mark.parametrize("name", WITH_A_KERNEL)
def test_what_needs_a_kernel_violates_none_in_a_notebook(name: str, scratch: Any) -> None:
    scratch.show(*WITH_A_KERNEL[name])
    scratch.page.locator(".jp-OutputArea-output").last.wait_for()
    found = violations(scratch.page, ".jp-OutputArea")
    with dark(scratch.page):
        found += violations(scratch.page, ".jp-OutputArea")
    assert found == []


def test_a_picture_and_a_control_without_a_name_are_found(browser: Any) -> None:
    page = browser.new_page()
    page.set_content("<body><img src=a.png><button></button></body>")
    found = violations(page)
    page.close()
    assert [line.partition(":")[0] for line in found] == ["button-name", "image-alt"]
