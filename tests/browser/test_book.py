"""The book from a disk, without a network: it is read, searched, and its players move."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

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
