from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hpml.grading import classes, report, submission
from hpml.grading.classes import Graded, as_csv, class_table, grade_class, members
from hpml.grading.errors import GradingError
from hpml.grading.report import Item, Report
from tests.grading.handed_in import CATALOGUE, DOUBLE, LAB, LIMITS, RIGHT, hand_in, notebook


@pytest.fixture
def group(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    hand_in(folder / "ada", *RIGHT)
    hand_in(folder / "bob", DOUBLE)
    (folder / "cy").mkdir()
    (folder / "notes.txt").touch()
    (folder / ".hidden").mkdir()
    return folder


def _grade(folder: Path, **options: object) -> tuple[Graded, ...]:
    return grade_class(
        folder,
        folder.parent / "reports",
        limits=LIMITS,
        catalogue=CATALOGUE,
        **options,  # type: ignore[arg-type]
    )


def test_each_folder_and_notebook_is_a_member(group: Path) -> None:
    (group / "di.ipynb").touch()
    (group / "eve").symlink_to(group / "ada")
    found = members(group, labs=["06"], catalogue=CATALOGUE)
    assert [each.name for each in found] == ["ada", "bob", "cy", "di.ipynb", "eve"]
    assert {each.labs for each in found} == {("06",)}


def test_without_a_lab_all_get_the_labs_that_anyone_handed_in(group: Path) -> None:
    assert {each.labs for each in members(group, catalogue=CATALOGUE)} == {("06",)}
    only = group.parent / "only"
    (only / "cy").mkdir(parents=True)
    with pytest.raises(GradingError, match="--lab"):
        members(only, catalogue=CATALOGUE)


def test_a_folder_that_cannot_be_read_spoils_only_itself(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = submission._entries

    def refused(folder: Path) -> list[Path]:
        if folder.name == "bob":
            raise GradingError("it cannot be read")
        return listed(folder)

    monkeypatch.setattr(submission, "_entries", refused)
    found = members(group, labs=["06"], catalogue=CATALOGUE)
    assert [each.name for each in found] == ["ada", "bob", "cy"]


def test_a_name_in_another_encoding_spoils_neither_table_nor_csv(tmp_path: Path) -> None:
    name = os.fsdecode(b"M\xfcller\x1b[2J")
    reports = [Report(name, (Item("06", 1, "double", 2.0),), 7)]
    for text in (str(class_table(reports)), as_csv(reports), str(reports[0])):
        assert "M\\udcfcller\\x1b[2J" in text
        assert text.encode("utf-8").isascii()


def test_an_empty_class_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GradingError, match="found none"):
        members(tmp_path, catalogue=CATALOGUE)
    with pytest.raises(GradingError, match="expected the folder of a class"):
        members(tmp_path / "none", catalogue=CATALOGUE)


def test_a_class_is_graded_with_one_seed_and_a_report_each(group: Path) -> None:
    (group / "eve").symlink_to(group / "ada")
    told: list[tuple[int, int]] = []
    graded = _grade(group, jobs=2, progress=lambda done, total: told.append((done, total)))
    points = {each.report.name: each.report.earned for each in graded}
    assert points == {"ada": 6.0, "bob": 2.0, "cy": 0.0, "eve": 0.0}
    assert all("is a link" in item.text for item in graded[3].report.items)
    assert len({each.report.seed for each in graded}) == 1
    assert all(each.again for each in graded)
    assert told == [(done, 4) for done in range(5)]
    files = sorted(path.name for path in (group.parent / "reports").iterdir())
    assert files == [".class.json", "ada.json", "bob.json", "cy.json", "eve.json"]
    assert json.loads((group.parent / "reports" / "ada.json").read_text())["score"] == 6.0


def test_an_interrupted_class_goes_on_where_it_was(group: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _grade(group, jobs=1, progress=stop)
    graded = _grade(group, jobs=1)
    assert [each.again for each in graded] == [False, True, True]
    assert len({each.report.seed for each in graded}) == 1


def test_a_report_that_a_submission_changes_is_written_again(group: Path) -> None:
    forged = group.parent / "reports" / "ada.json"
    attack = f"def double(n):\n    open({str(forged)!r}, 'w').write('{{}}')\n    return 2 * n"
    (group / "bob" / LAB).write_text(notebook(attack), encoding="utf-8")
    graded = _grade(group, jobs=1)
    assert [each.restored for each in graded] == [True, False, False]
    assert json.loads(forged.read_text())["score"] == 6.0


def test_what_a_submission_changes_in_another_is_told(group: Path) -> None:
    other = group / "bob" / LAB
    attack = f"def double(n):\n    open({str(other)!r}, 'w').write('{{}}')\n    return 2 * n"
    (group / "ada" / LAB).write_text(notebook(attack), encoding="utf-8")
    graded = _grade(group, jobs=1)
    assert [each.changed for each in graded] == [False, True, False]
    assert [each.again for each in _grade(group, jobs=1)] == [False, True, False]


def test_what_is_handed_in_again_is_graded_again(group: Path) -> None:
    _grade(group)
    (group / "bob" / LAB).write_text(notebook(*RIGHT), encoding="utf-8")
    graded = _grade(group)
    assert [each.again for each in graded] == [False, True, False]
    assert graded[1].report.earned == 6.0


def test_another_seed_grader_or_damaged_report_is_graded_again(
    group: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _grade(group, seed=1)
    assert not any(each.again for each in _grade(group, seed=1))
    (group.parent / "reports" / "ada.json").write_text('{"extra_data": []}')
    assert [each.again for each in _grade(group, seed=1)] == [True, False, False]
    assert all(each.again for each in _grade(group, seed=2))
    monkeypatch.setattr(classes, "GRADER", "a later one")
    monkeypatch.setattr(report, "GRADER", "a later one")
    assert all(each.again for each in _grade(group, seed=2))


def test_the_table_and_the_csv_hold_each_exercise() -> None:
    items = (
        Item("06", 1, "double", 2.0, 2.0, "right"),
        Item("06", 2, "total", 3.0, 0.5, "partly right"),
    )
    reports = [Report("ada", items, 7), Report("=1+1", items, 7)]
    assert class_table(reports).column("points") == (2.5, 2.5, 5.0)
    assert as_csv(reports).splitlines() == [
        "submission,06.1 double,06.1 status,06.2 total,06.2 status,points,of,seed",
        "ada,2,right,0.5,partly right,2.5,5,7",
        "'=1+1,2,right,0.5,partly right,2.5,5,7",
    ]
