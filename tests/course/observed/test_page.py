from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from hpml import cli
from hpml.course.labs.questions import questions
from hpml.course.observed.page import class_tables, write_observed
from hpml.course.observed.records import read_class
from tests.course.observed.handed_in import WRONG, at, check, guess, hand_in, lab_00


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """Three students; one met a known wrong answer, and one has a damaged file."""
    folder = tmp_path / "class"
    tries = {
        "ada": [(8.5, check(0, right=True))],
        "bob": [
            (8.25, check(0, right=False, wrong_answer=WRONG)),
            (8.75, check(0, right=True)),
        ],
        "cy": [(8.5, check(0, right=True))],
    }
    for pace, (name, tried) in enumerate(tries.items(), start=1):
        checks = [{**each, "at": at(pace * minute)} for minute, each in tried]
        predictions = {"00": {"numpy_sum": guess(10.0 * pace, 20)}}
        hand_in(folder / name, {"00": lab_00(pace, *checks)}, predictions)
    (folder / "di|<b>").mkdir()
    (folder / "di|<b>" / "progress.json").write_text("{", encoding="utf-8")
    return folder


def test_the_table_has_a_row_for_each_figure(handed_in: Path, tmp_path: Path) -> None:
    path, _ = write_observed(read_class(handed_in), tmp_path / "out")
    with path.open(encoding="utf-8", newline="") as stream:
        rows = {(row["kind"], row["name"]): row for row in csv.DictReader(stream)}
    first = rows["section", "1 · What decides how long a program takes?"]
    assert (first["median"], first["low"], first["high"]) == ("10", "7.5", "12.5")
    assert (first["unit"], first["students"], first["lab"]) == ("min", "3", "00")
    assert float(first["estimate"]) > 5
    assert rows["first check right", "hello"]["median"] == "66.67"
    assert rows["wrong answer", f"hello: {WRONG}"]["median"] == "33.33"
    assert rows["wrong answer", "hello: prints"]["median"] == "0"
    assert not any("ada" in value for row in rows.values() for value in row.values())


def test_the_page_says_the_same_in_words_and_what_was_left_out(
    handed_in: Path, tmp_path: Path
) -> None:
    _, path = write_observed(read_class(handed_in), tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    assert "3 students handed in their records" in text
    assert re.search(r"\| 1 · What decides [^|]*\| \d+ \| 10 \| 7.5 \| 12 \| 3 \|", text)
    assert f"| hello | 67 % | 1 | {WRONG} 33 % | 3 |" in text
    assert "| explanation | 100 % | – | none | 3 |" in text
    assert "is NumPy? | 33 % | 1.5 × | 3 |" in text
    assert r"- di\|\<b\>: progress.json cannot be read" in text


def test_predictions_by_lab_and_the_ten_questions_are_those_of_the_class(tmp_path: Path) -> None:
    right = "".join(each.right for each in questions())
    for name, before in (("ada", "b" + "-" * 9), ("lou", "-" * 10)):
        progress = {"00": {"questions": before}, "15": {"questions": right}}
        hand_in(tmp_path / name, progress, {"01": {"a": guess(6, 2)}})
    predictions, asked = class_tables(read_class(tmp_path))
    assert [tuple(row) for row in predictions.rows] == [("01", 2, 0, 3)]
    assert asked.column("right before")[:2] == ("1 of 2", "0 of 2")
    assert set(asked.column("right after")) == {"2 of 2"}


def test_the_command_prints_the_tables_and_writes_both_files(
    handed_in: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "results"))
    assert cli.main(["progress", "--class", str(handed_in)]) == 0
    said = capsys.readouterr().out
    assert "right after" in said
    assert "cannot be read" in said
    assert "Records of 3 students" in said
    written = sorted(path.name for path in (tmp_path / "results" / "class").iterdir())
    assert written == ["observed.csv", "observed.md"]
    assert cli.main(["progress", "--class", str(handed_in), "--out", str(tmp_path / "o")]) == 0
    assert (tmp_path / "o" / "observed.csv").is_file()
    assert cli.main(["progress", "--class", str(tmp_path / "nowhere")]) == 2
    (tmp_path / "empty").mkdir()
    assert cli.main(["progress", "--class", str(tmp_path / "empty")]) == 2
    assert cli.main(["progress", "--out", str(tmp_path / "o")]) == 2
    assert "Ask students for these two files" in capsys.readouterr().err


def test_a_figure_of_one_student_is_its_own_median(tmp_path: Path) -> None:
    hand_in(tmp_path / "ada", {"00": lab_00(2)})
    path, page = write_observed(read_class(tmp_path), tmp_path / "out")
    assert ",min,1,10,10,10," in path.read_text(encoding="utf-8")
    assert "1 student handed in" in page.read_text(encoding="utf-8")
    assert json.dumps("ada") not in path.read_text(encoding="utf-8")
