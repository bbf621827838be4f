"""The page of each lab in the book: accessible, and with a picture near its top.

`HPML_LONG=1` looks at the pages of all labs, else at those with the most widgets.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from hpml.course.lesson.execute import execute, labs
from hpml.course.release.book import write_book
from tests.browser.accessibility import ALL, violations

pytestmark = pytest.mark.thorough

SCREEN = 720
FEW = ("02", "06")
LABS = [path for path in labs() if os.environ.get("HPML_LONG") or path.stem[:2] in FEW]


@pytest.fixture(scope="module", params=LABS, ids=lambda path: path.stem[:2])
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a lab that was executed quickly."""
    folder = tmp_path_factory.mktemp("page")
    results = {"HPML_QUICK": "1", "HPML_RESULTS": str(folder / "results")}
    run = execute(request.param, environment=results)
    assert run.failure is None
    write_book(folder / "book", {request.param.stem: run.notebook})
    return folder / "book" / f"{request.param.stem}.html"


@pytest.mark.parametrize("width", [1280, 820])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_violates_no_rule_and_fits_its_window(
    page_file: Path, browser: Any, scheme: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": SCREEN}, color_scheme=scheme)
    page.goto(page_file.as_uri())
    found = violations(page, impacts=ALL)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.close()
    assert found == []
    assert wide <= width


def test_a_page_has_a_picture_in_its_first_two_screens(page_file: Path, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": SCREEN})
    page.goto(page_file.as_uri())
    picture = page.locator("figure").first.bounding_box()
    set_up = page.locator(".hpml-folded")
    assert set_up.get_attribute("open") is None
    assert picture["y"] < 2 * SCREEN - 200
    page.close()
