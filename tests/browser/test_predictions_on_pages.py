"""A prediction is answered in a page of the book, which judges it as the notebook does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hpml.course.lesson.execute import execute
from hpml.course.lesson.predictions import state
from hpml.course.release.book import write_book
from tests.browser.accessibility import violations

CHOICES = ("faster", "slower", "cannot tell")
ASKED: dict[str, dict[str, Any]] = {
    "time": {"unit": "µs"},
    "ratio": {"unit": "×"},
    "count": {"unit": "calls", "exact": True},
    "share": {"unit": "%"},
    "side": {"choices": CHOICES},
    "noisy": {"choices": CHOICES},
    "never": {"unit": "MiB"},
    "absent": {"unit": "ms"},
}
SHOWN: Mapping[str, object] = {
    "time": 0.9,
    "ratio": SimpleNamespace(value=2.0, low=1.0, high=6.0),
    "count": 7,
    "share": 0,
    "side": "slower",
    "noisy": "cannot tell",
}
ANSWERS = [
    *(("time", answer) for answer in ("3", "0.9", "1", "0.11", "2500")),
    *(("ratio", answer) for answer in ("90", "0.2")),
    *(("count", answer) for answer in ("7", "8")),
    *(("share", answer) for answer in ("0", "3")),
    *(("side", answer) for answer in CHOICES[:2]),
    ("noisy", "faster"),
]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book of one lab, executed in a kernel, as `hpml book` makes it."""
    folder = tmp_path_factory.mktemp("asked")
    lines = ["from types import SimpleNamespace", "from hpml.course import lab_head, predict"]
    cells = [new_code_cell("\n".join([*lines, 'lab_head(42, "Small")']))]
    for key, asked in ASKED.items():
        given = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        question = f"Is `{key}` <asked>?"
        cells.append(new_code_cell(f"{key} = predict({question!r}, {given}, key={key!r})"))
    called = (
        f"SimpleNamespace(**{vars(SHOWN['ratio'])!r})" if k == "ratio" else repr(v)
        for k, v in SHOWN.items()
    )
    cells += [
        new_code_cell(f"{key}.reveal({text})") for key, text in zip(SHOWN, called, strict=True)
    ]
    cells.append(new_code_cell('absent.not_measured("there is no compiler")'))
    path = folder / "05_a.ipynb"
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A lab"), *cells]), path)
    run = execute(path, environment={"HPML_RESULTS": str(folder / "results")})
    assert run.failure is None
    write_book(folder / "book", {"05_a": run.notebook})
    return folder / "book" / "05_a.html"


def answer(page: Any, key: str, text: str) -> str:
    """Answer a question by the keyboard alone and return what the page says."""
    form = page.locator(f".hpml-asked:has([name={key}])")
    field = form.locator("input").first
    field.focus()
    if text in CHOICES:
        for _ in range(CHOICES.index(text)):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
    else:
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    said: str = form.get_by_role("status").inner_text()
    return said.removesuffix(" Where it is measured")


@pytest.mark.parametrize(("key", "text"), ANSWERS)
def test_a_page_judges_an_answer_as_the_notebook_does(
    key: str, text: str, offline: Any, book: Path
) -> None:
    offline.goto(book.as_uri())
    entry = state.Entry(key=key, question="?", **ASKED[key])
    expected = state.verdict(state.show(state.lock(entry, text), SHOWN[key]))
    assert answer(offline, key, text) == expected
    assert offline.locator(f"#result-{key}").inner_text().endswith(expected)
    assert offline.errors == []


def test_an_answer_is_locked_kept_only_in_the_page_and_leads_to_its_measurement(
    offline: Any, book: Path
) -> None:
    offline.goto(book.as_uri())
    assert violations(offline) == []
    answer(offline, "side", "faster")
    answer(offline, "time", "3")
    assert violations(offline) == []
    form = offline.locator(".hpml-asked:has([name=time])")
    assert form.locator("input").is_disabled()
    assert form.get_by_role("status").evaluate("said => said === document.activeElement")
    form.get_by_role("link", name="Where it is measured").click()
    assert offline.url.endswith("#result-time")
    assert (
        offline.evaluate("localStorage.length + sessionStorage.length + document.cookie.length")
        == 0
    )
    offline.goto(book.as_uri())
    assert form.locator("input").is_enabled()
    assert form.get_by_role("status").inner_text() == ""


def test_what_a_page_cannot_judge_is_not_scored(offline: Any, book: Path) -> None:
    offline.goto(book.as_uri())
    assert answer(offline, "ratio", "3").endswith(
        "Not scored: the ends of its interval judge differently."
    )
    assert "run the lab to see one" in answer(offline, "never", "3")
    assert "Not measured here: there is no compiler." in answer(offline, "absent", "3")


def test_an_empty_or_impossible_answer_locks_nothing(offline: Any, book: Path) -> None:
    offline.goto(book.as_uri())
    for key, text in (("time", ""), ("time", "-3")):
        assert answer(offline, key, text) == ""
        assert offline.locator(f"[name={key}]").first.is_enabled()
