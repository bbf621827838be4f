from __future__ import annotations

import base64
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml import cli
from hpml.course.lesson.reference import read_record
from hpml.course.release.slides.deck import deck, slides
from hpml.course.release.slides.recorded import belongs, ratios, tables
from hpml.widgets import execution_player

HEAD = "# Lab 05 · Small\n\nText.\n\nAfter it you can\n\n- draw a graph.\n\n**Time**: 5 minutes."
KEY = next(iter((read_record("05") or {"questions": {}})["questions"]), "")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\4\0\0\0\2\0").decode("ascii")
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
            ran({"text/plain": "A picture. More.", "image/png": PNG}),
            new_markdown_cell(why),
            further,
            ran({"text/plain": "t", "text/html": "<table>all</table>"}, tags=("result",)),
        ]
    )


def test_each_slide_is_a_part_of_the_lab() -> None:
    head, asked, picture, why, *results = slides(notebook())
    assert head.heading == "Lab 05 · Small"
    assert "draw a graph" in head.body
    assert "Time" not in head.body
    assert "Time" in head.notes
    assert asked.heading == "1 · A &lt; B"
    assert "It begins." in asked.body
    assert "<li>ten</li>" in asked.body
    assert "Jupyter" not in asked.body
    record = read_record("05")
    assert record is not None
    assert f"{record['questions'][KEY]}.</p></details>" in asked.body
    assert 'alt="A picture" src="data:image/png;base64,' in picture.body
    assert "It begins." not in picture.body
    assert why.heading == "<b>Why?</b>"
    assert "Because." in why.body
    assert {slide.heading for slide in results} == {"Results"}


def test_the_results_are_those_of_the_quiet_run_if_there_is_one() -> None:
    record = read_record("05")
    assert record is not None
    recorded_here = deck(notebook())
    assert "<table>all</table>" not in recorded_here
    assert f"({record['machine']['cpu']}, no GPU)" in recorded_here
    unknown = notebook()
    unknown.cells[0].source = HEAD.replace("05", "99")
    assert "<table>all</table>" in deck(unknown)


def test_a_picture_that_compares_times_of_another_run_is_left_out() -> None:
    timed = ran({"text/plain": "Times. a: 3 ms, 1.2 × b, slower", "image/png": PNG})
    simulated = ran({"text/plain": "A time line of 3 ms", "image/png": PNG})
    _, kept, *_ = slides(new_notebook(cells=[new_markdown_cell(HEAD), timed, simulated]))
    assert "A time line" in kept.body
    assert "from the run that made these slides" in kept.body


def test_a_widget_is_on_a_slide_as_it_is_and_a_table_if_it_is_tagged() -> None:
    player = execution_player({"x": [], "y": ["x"]})
    page = {"text/plain": "t", "text/html": "<table>kept</table>"}
    cells = [
        new_markdown_cell(HEAD),
        ran({"text/plain": repr(player), "text/html": player.html}),
        ran(page),
        ran(page, tags=("slide",)),
    ]
    _, moves, table = slides(new_notebook(cells=cells))
    assert moves.body == player.html
    assert "<table>kept</table>" in table.body


def test_exercises_are_for_the_notes_and_what_goes_further_is_left_out() -> None:
    goals = (
        "- ask (asked in section 2);\n- write one (05.1, 05.2);\n- draw (*going further*: exercise "
        "05.3);\n- *going further*: more (05.4)."
    )
    text = HEAD.replace("- draw a graph.", goals)
    (head,) = slides(new_notebook(cells=[new_markdown_cell(text)]))
    assert "05." not in head.body
    assert "section" not in head.body
    assert "more" not in head.body
    assert "<li>write one;</li>" in head.body
    assert "05.4" in head.notes


def test_a_heading_that_is_repeated_says_so() -> None:
    shown = [ran({"text/plain": f"picture {n}", "image/png": PNG}) for n in range(2)]
    page = deck(new_notebook(cells=[new_markdown_cell(HEAD), new_markdown_cell("## One"), *shown]))
    assert page.count("<h2>One</h2>") == 1
    assert page.count("<h2>One <small>(continued)</small></h2>") == 1


def test_the_notes_have_the_plan_and_the_text_before_the_slide() -> None:
    text = "## 1 · One\n\nRead me.\n\n<details><summary>S</summary>no</details>"
    asked = ran({"text/plain": ASKED}, asks=KEY)
    *_, slide = slides(
        new_notebook(cells=[new_markdown_cell(HEAD), new_markdown_cell(text), asked])
    )
    assert "Plan: 2 minutes in the lab, 1 prediction." in slide.notes
    assert "Read me." in slide.notes
    assert "no" not in slide.notes.partition("Read me.")[2]


def test_at_most_three_questions_of_a_cell_share_a_slide() -> None:
    asked = ran(*[{"text/plain": ASKED}] * 4, asks=KEY)
    asked.source = "\n".join([f"predict('How `many`?', key='{KEY}')"] * 4)
    _, first, second = slides(new_notebook(cells=[new_markdown_cell(HEAD), asked]))
    assert first.body.count('class="question"') == 3
    assert second.body.count('class="question"') == 1


def test_recorded_ratios_to_one_base_are_a_picture_and_long_tables_are_divided() -> None:
    lines = [f"way {n} / base{' ' * (n < 10)}   1.{n} [1.0, 2.0] slower" for n in range(9, 21)]
    lines += ["threads: way 1 / base   3.0 [2.0, 4.0] slower"]
    head = "what was measured        here"
    rule = f"{'-' * 23}  {'-' * 22}"
    lines = [
        f"{line.partition('   ')[0]:<23}  {line.partition('   ')[2].strip()}" for line in lines
    ]
    record = {
        "results": ["\n".join([head, rule, *lines])],
        "machine": {"cpu": "a processor", "gpu": None},
    }
    one, two = tables(record)
    assert (len(one), len(two)) == (7, 6)
    assert one.column("what was measured")[0] == "way 9 / base"
    (group,) = ratios(record)
    assert len(group.found) == 12
    assert group.found["way 10"] == (1.10, 1.0, 2.0)
    assert belongs(group, "Time per call. base: 3, " + ", ".join(group.found))
    assert not belongs(group, "Time per call. other: 3")
    assert "way 20" in group.draw("Recorded").plain


def test_a_question_is_shown_with_the_functions_and_the_listing_that_it_is_about() -> None:
    asked = ran({"text/plain": ASKED}, asks=KEY)
    defined = new_code_cell("def doubled(n):\n    return n < 2", outputs=[])
    text = "## 1 · A\n\n## 2 · B\n\nThe program is:\n\n```\nLOAD a\n```\n\nThe end."
    book = new_notebook(cells=[new_markdown_cell(HEAD), new_markdown_cell(text), defined, asked])
    _, slide = slides(book)
    assert slide.heading == "2 · B"
    assert "LOAD a" in slide.body
    assert "return n &lt; 2" in slide.body
    assert "The end." not in slide.body


def test_a_deck_loads_nothing() -> None:
    page = deck(notebook())
    assert page.count("<section>") > 4
    assert "http" not in page


def test_the_command_refuses_a_missing_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["slides", "05", str(tmp_path / "out"), "--executed", str(tmp_path)]) == 1
    assert "hpml run 05" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
