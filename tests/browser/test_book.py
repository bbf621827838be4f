"""The book from a disk, without a network: it is read, searched, and its players move."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml.course.release.book import write_book
from hpml.widgets import execution_player
from tests.browser.accessibility import violations


def test_the_book_is_searched_and_its_players_move_offline(offline: Any, tmp_path: Path) -> None:
    player = execution_player({"x": [], "y": ["x"], "z": ["y"]}, ["lazy", "ordered"], title="Chain")
    shown = new_output("display_data", dict(player._repr_mimebundle_()))
    notebooks = {
        name: new_notebook(
            cells=[
                new_markdown_cell(f"# {title}\n\nSee lab 06. {'Words. ' * 900}", id="head"),
                new_markdown_cell(f"## The {word} chain\n\nWho asks?", id="ask"),
                new_code_cell("player", id="code", execution_count=1, outputs=[shown]),
            ]
        )
        for name, title, word in (("05_a", "Graphs", "long"), ("06_b", "Orders", "deep"))
    }
    write_book(tmp_path / "book", notebooks)
    asked: list[str] = []
    offline.on("request", lambda request: asked.append(request.url))
    offline.goto((tmp_path / "book" / "index.html").as_uri())
    offline.get_by_label("Search in all labs").fill("CHAIN deep who")
    offline.get_by_role("status").filter(has_text="1 found").wait_for()
    assert violations(offline) == []
    offline.get_by_role("link", name="The deep chain").click()
    heading = offline.get_by_role("heading", name="The deep chain")
    assert heading.evaluate("(h) => h.getBoundingClientRect().top < innerHeight")
    offline.get_by_role("button", name="One step on").click()
    offline.get_by_text(re.compile(r"2 / \d+")).wait_for()
    assert violations(offline) == []
    offline.get_by_role("link", name="← Graphs").first.click()
    offline.get_by_role("link", name="lab 06").click()
    offline.wait_for_url("**/06_b.html")
    assert offline.errors == []
    assert all(url.startswith(("file:", "data:")) for url in asked)


# Code whose end is outside of a box that hides it and does not scroll.
CLIPPED = """() => [...document.querySelectorAll("pre")].filter(pre => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    const right = Math.max(0, ...[...range.getClientRects()].map(rect => rect.right));
    for (let box = pre; box && box !== document.documentElement; box = box.parentElement) {
        const flow = getComputedStyle(box).overflowX;
        if (right <= box.getBoundingClientRect().right + 1 || flow === "visible") continue;
        return flow !== "auto" && flow !== "scroll";
    }
    return false;
}).map(pre => pre.textContent)"""


@pytest.mark.parametrize("width", [820, 390])
def test_code_wider_than_the_page_scrolls_with_the_keyboard(
    offline: Any, tmp_path: Path, width: int
) -> None:
    source = "total = " + " + ".join(f"a_long_name_{n}" for n in range(12))
    written = new_markdown_cell(f"# A lab\n\n## Code\n\n```python\n{source}\n```", id="head")
    printed = new_output("stream", text=source)
    cells = [written, new_code_cell(source, id="code", execution_count=1, outputs=[printed])]
    write_book(tmp_path / "book", {"05_a": new_notebook(cells=cells)})
    offline.set_viewport_size({"width": width, "height": 900})
    offline.goto((tmp_path / "book" / "05_a.html").as_uri())
    assert offline.evaluate("document.documentElement.scrollWidth") <= width
    assert offline.locator("pre").filter(has_text="a_long_name_11").count() == 3
    assert offline.evaluate(CLIPPED) == []
    code = offline.locator(".jp-InputArea-editor pre")
    code.focus()
    offline.keyboard.press("ArrowRight")
    moved = "pre => new Promise(done => setTimeout(() => done(pre.scrollLeft), 400))"
    assert code.evaluate(moved) > 0
    assert violations(offline) == []


# The number of characters in each full line of prose: all but the last of each paragraph.
LINES = """() => [...document.querySelectorAll(".jp-RenderedMarkdown > p")].flatMap(paragraph => {
    const text = paragraph.firstChild, range = document.createRange(), lines = [];
    for (let i = 0, top = null; i < text.length; i++) {
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const now = range.getBoundingClientRect().top;
        if (top === null || now > top + 5) { lines.push(0); top = now; }
        lines[lines.length - 1] += 1;
    }
    return lines.slice(0, -1);
})"""


@pytest.mark.parametrize("width", [1280, 820])
def test_a_caption_uses_the_margin_if_there_is_one_and_prose_has_short_lines(
    offline: Any, tmp_path: Path, width: int
) -> None:
    shown = (
        '<img class="hpml-figure" src="data:," alt="Memory. list: 32 MB" width="700" height="9">'
    )
    picture = new_output("display_data", {"text/html": shown, "text/plain": "Memory"})
    words = "It is known that a reader loses the line where too many words stand beside others. "
    head = new_markdown_cell(f"# A lab\n\n{words * 9}", id="head")
    cells = [head, new_code_cell("draw()", id="code", execution_count=1, outputs=[picture])]
    write_book(tmp_path / "book", {"05_a": new_notebook(cells=cells)})
    offline.set_viewport_size({"width": width, "height": 900})
    offline.goto((tmp_path / "book" / "05_a.html").as_uri())
    lines = offline.evaluate(LINES)
    assert all(60 <= count <= 85 for count in lines), lines
    image, caption = (
        offline.locator(f"figure {each}").bounding_box() for each in ("img", "figcaption")
    )
    if width == 1280:
        assert caption["x"] > image["x"] + image["width"]
        assert caption["y"] < image["y"] + image["height"]
    else:
        assert caption["y"] >= image["y"] + image["height"]
        assert caption["x"] == image["x"]
    offline.get_by_role("link", name="Figure 05.1").click()
    assert offline.url.endswith("05_a.html#figure-05.1")
    assert offline.evaluate("document.documentElement.scrollWidth") <= width
