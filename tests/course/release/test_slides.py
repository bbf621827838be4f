from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml import cli
from hpml.course.lesson.reference import read_record
from hpml.course.release.slides import deck, slides

HEAD = "# Lab 05 · Small\n\nText.\n\nAfter it you can\n\n- draw a graph.\n\n**Time**: 5 minutes."
KEY = next(iter((read_record("05") or {"questions": {}})["questions"]), "")
ASKED = "Predict: How `many`?\n1. two\n2. ten\nOpen this lab in Jupyter to answer."


def ran(*data: dict[str, str], tags: tuple[str, ...] = (), asks: str = "") -> nbformat.NotebookNode:
    outputs = [new_output("display_data", each) for each in data]
    source = f"guess = predict('How `many`?', key='{asks}')" if asks else "x"
    cell = new_code_cell(source, outputs=outputs, execution_count=1)
    cell.metadata["tags"] = list(tags)
    return cell


def notebook() -> nbformat.NotebookNode:
    further = new_markdown_cell("## Not shown", metadata={"tags": ["further"]})
    why = "<details><summary><b>Why?</b></summary>\n\nBecause.\n\n</details>"
    return new_notebook(
        cells=[
            new_markdown_cell(HEAD),
            new_markdown_cell("## 1 · A < B\n\nIt begins."),
            ran(
                {"text/plain": ASKED, "text/html": "<p>card</p>"}, {"text/plain": "other"}, asks=KEY
            ),
            ran({"text/plain": "A picture. More.", "image/png": "AAAA"}),
            new_markdown_cell(why),
            further,
            ran({"text/plain": "t", "text/html": "<table>all</table>"}, tags=("result",)),
        ]
    )


def test_each_slide_is_a_part_of_the_lab() -> None:
    head, asked, picture, why, results = slides(notebook())
    assert "draw a graph" in head
    assert "Time" not in head
    assert "A &lt; B" in asked
    assert "It begins." in asked
    assert "<li>ten</li>" in asked
    assert "Jupyter" not in asked
    record = read_record("05")
    assert record is not None
    assert f"{record['questions'][KEY]}.</p></details>" in asked
    assert 'alt="A picture" src="data:image/png;base64,AAAA"' in picture
    assert "It begins." not in picture
    assert "<b>Why?</b>" in why
    assert "<table>all</table>" in results


def test_a_question_is_shown_with_the_functions_and_the_listing_that_it_is_about() -> None:
    asked = ran({"text/plain": ASKED}, asks=KEY)
    defined = new_code_cell("def doubled(n):\n    return n < 2", outputs=[])
    text = "## 1 · A\n\n## 2 · B\n\nThe program is:\n\n```\nLOAD a\n```\n\nThe end."
    book = new_notebook(cells=[new_markdown_cell(HEAD), new_markdown_cell(text), defined, asked])
    _, slide = slides(book)
    assert "2 · B" in slide
    assert "LOAD a" in slide
    assert "return n &lt; 2" in slide
    assert "The end." not in slide


def test_a_deck_loads_nothing() -> None:
    page = deck(notebook())
    assert page.count("<section>") == 5
    assert "http" not in page


def test_the_command_refuses_a_missing_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["slides", "05", str(tmp_path / "out"), "--executed", str(tmp_path)]) == 1
    assert "hpml run 05" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
