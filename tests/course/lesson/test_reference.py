"""A lab is recorded by one command, and its record stands beside a result that cannot tell."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml import cli
from hpml.benchmark import Ratio
from hpml.course.lesson import command
from hpml.course.lesson.predictions.prediction import predict
from hpml.course.lesson.predictions.session import forget, lab_head
from hpml.course.lesson.reference import (
    REVEALED,
    count_verdicts,
    keep_revealed,
    read_record,
    recorded_conclusion,
    verdicts_of,
    wording,
)
from hpml.course.release.reading import predictions

ROOT = Path(__file__).parents[3]


def executed(text: str) -> Any:
    output = new_output("execute_result", {"text/plain": text})
    tagged = {"tags": ["verdict", "result"]}
    return SimpleNamespace(
        notebook=new_notebook(cells=[new_code_cell(outputs=[output], metadata=tagged)]),
        seconds=1.0,
        failure=None,
    )


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in ("notebooks", "data"):
        (tmp_path / folder).mkdir()
    (tmp_path / "notebooks" / "01_a.ipynb").write_text("{}")
    (tmp_path / "data" / "published_results.json").write_text("{}")
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    monkeypatch.delenv("HPML_QUICK", raising=False)
    return tmp_path


def run(course: Path, monkeypatch: pytest.MonkeyPatch, *texts: str) -> int:
    left = list(texts)

    def execute(path: Path, timeout: float, environment: dict[str, str]) -> Any:
        monkeypatch.setenv(REVEALED, environment[REVEALED])
        text = left.pop(0)
        keep_revealed("cost", "3.0 ×")
        keep_revealed(f"asked where it is {text}", text)
        monkeypatch.delenv(REVEALED)
        return executed(text)

    monkeypatch.setattr(command, "execute_with_bar", execute)
    out = ["--out", str(course / "out")]
    return cli.main(["run", "01", "--record", "--repeat", str(len(texts)), *out])


def test_a_record_is_shown_beside_a_result_that_cannot_tell(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(course, monkeypatch, "3 times slower", "4 times slower") == 0
    record = json.loads((course / "data" / "reference" / "01.json").read_text())
    assert record["questions"]["cost"] == "3.0 ×"
    assert len(record["questions"]) == 3  # also what one of the runs could not tell
    assert record["machine"]["cpu"]
    lab_head(1, "A")
    capsys.readouterr()
    wide = Ratio(1.1, 0.2, 6.0, "cannot tell")
    for key, shown in (("cost", True), ("other", False)):
        predict(f"How many times, {key}?", unit="×", key=key, answer=2).reveal(wide)
        assert ("3.0 ×" in capsys.readouterr().out) is shown
    forget()


def test_a_record_keeps_the_typical_run_and_says_how_many_runs_agree(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(course, monkeypatch, "slower", "2 times faster", "3 times faster") == 0
    record = json.loads((course / "data" / "reference" / "01.json").read_text())
    assert (record["runs"], record["verdicts"][0][1:]) == (3, ["2 times faster", 2])


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_each_question_and_explanation_of_a_lab_has_a_recorded_answer(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    asked = {each["key"] for each in predictions(notebook.cells)}
    record = read_record(path.stem[:2])
    assert record is not None
    # Lab 14 measures this one with the student's own `quantise`.
    assert asked - set(record["questions"]) <= {"bits"}


@pytest.mark.parametrize(
    ("lab", "said"),
    [("00", "That fits A"), ("01", "A and C both contribute"), ("02", "That fits A")],
)
def test_a_conclusion_that_cannot_be_drawn_here_is_answered_by_the_recorded_one(
    lab: str, said: str
) -> None:
    assert said in recorded_conclusion(lab)
    assert recorded_conclusion("no such lab") == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It took 3 ns.", "It took 4.25 µs."),
        ("1,020 B, 12 %", "7 MiB, 3%"),
        ("between -1.2e-05 s and 7 ms", "between 0 s and 800 ns"),
        ("**1.32** times [1.1, 1.5]", "**2** times [1, 2]"),
    ],
)
def test_two_sentences_that_differ_in_figures_are_one_conclusion(one: str, other: str) -> None:
    assert wording(one) == wording(other)


def test_two_sentences_that_differ_in_a_word_are_two() -> None:
    assert wording("It grows by 3 ms.") != wording("It falls by 3 ms.")
    assert wording("A fits 3 runs") != wording("B fits 3 runs")


def test_only_tagged_cells_conclude_and_under_which_heading_is_kept() -> None:
    notebook = executed("So 4.").notebook
    untagged = new_code_cell(outputs=[new_output("execute_result", {"text/plain": "It is 3."})])
    notebook.cells[:0] = [new_markdown_cell("# One\n## Two"), untagged]
    assert verdicts_of(notebook) == (("Two", "So …."),)


def test_a_run_that_stopped_early_does_not_hide_the_others() -> None:
    table = count_verdicts([[("A", "x"), ("B", "y")], [("A", "x")]])
    assert table.rows == ((1, "A", "2 of 2", "x"), (2, "B", "1 of 2", "y"))
