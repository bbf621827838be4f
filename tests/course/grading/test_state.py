"""What is kept belongs to a class, a lab and a student, and says how old it is."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Any

import pytest

from hpml.course.grading import record
from hpml.course.grading.classes import grade_class, reports_of
from hpml.course.grading.find import alike, find_class
from hpml.course.grading.record import read_overrides
from hpml.course.grading.tables import by_lab, late
from tests.course.grading import small_catalogue
from tests.course.grading.handed_in import (
    CATALOGUE,
    DOUBLE,
    LAB,
    LIMITS,
    RIGHT,
    TOTAL,
    hand_in,
    notebook,
)

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

FIRST = "student,exercise,points,comment\n"


def test_corrections_of_one_lab_stay_when_another_is_corrected(tmp_path: Path) -> None:
    kept, given = tmp_path / "overrides.csv", tmp_path / "given.csv"
    one, two = [small_catalogue.DOUBLE], [small_catalogue.TOTAL]

    def read(text: str | None, *exercises: Any) -> dict[Any, Any]:
        if text is not None:
            given.write_text(FIRST + text)
        return dict(read_overrides(kept, None if text is None else given, {"ada"}, exercises))

    from dataclasses import replace

    other = replace(two[0], lab="07")
    assert by_lab(read("ada,06.1,1,oral\n", *one)) == "06: 1"
    both = read("ada,07.2,2,\n", other)
    assert {key: points for key, (points, _) in both.items()} == {
        ("ada", "06.1"): 1.0,
        ("ada", "07.2"): 2.0,
    }
    assert by_lab(both) == "06: 1, 07: 1"
    assert read(None, *one) == both
    # A file without a row takes the override of its lab back, and of no other.
    assert read("", *one) == {("ada", "07.2"): both["ada", "07.2"]}


def test_two_classes_of_one_name_have_two_folders_of_reports(tmp_path: Path) -> None:
    sections = [tmp_path / section / "submissions" for section in ("secA", "secB")]
    folders = [reports_of(path) for path in sections]
    assert len({*folders}) == 2
    assert folders[0].name.startswith("secA-submissions-")
    assert folders[1].name.startswith("secB-submissions-")
    assert reports_of(sections[0] / ".." / "submissions") == folders[0]


@pytest.mark.needs("bubblewrap")
def test_a_result_that_is_older_than_its_submission_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name in ("ada", "bob"):
        hand_in(folder / name, DOUBLE, f"# by {name}")

    def graded(**options: Any) -> dict[str, bool]:
        known: dict[str, Any] = {"limits": LIMITS, "catalogue": CATALOGUE, "jobs": 1, **options}
        done = grade_class(folder, tmp_path / "reports", **known)
        return {each.report.name: each.older for each in done.graded}

    assert graded() == {"ada": False, "bob": False}
    (folder / "bob" / LAB).write_text(notebook(*RIGHT), encoding="utf-8")
    assert graded(only=["ada"]) == {"ada": False, "bob": True}
    assert graded() == {"ada": False, "bob": False}


def test_byte_identical_notebooks_are_named_but_not_untouched_ones(tmp_path: Path) -> None:
    from hpml.course.lesson.execute import find_lab

    for name, cells in (("ada", RIGHT), ("bob", RIGHT), ("cy", (TOTAL,)), ("di", (DOUBLE,))):
        hand_in(tmp_path / name, *cells)
    for name in ("eve", "fay"):
        (tmp_path / name).mkdir()
        (tmp_path / name / LAB).write_bytes(find_lab("06").read_bytes())
    (tmp_path / "gus").mkdir()
    (tmp_path / "hal").mkdir()
    submissions, _ = find_class(tmp_path, lab="06", catalogue=CATALOGUE)
    assert alike(submissions) == [["ada", "bob"]]


def test_what_the_platform_marked_as_late_is_listed() -> None:
    names = [f"lovelaceada_LATE_4711_998_{LAB}", f"hopper_4712_999_{LAB}", "late"]
    assert late([record.Report(name, (), 7) for name in names]) == names[:1]


def _key(folder: Path, together: Barrier, answers: Any) -> None:
    together.wait()
    answers.put(record.Records(folder, ["06"], [], None)._key)


def test_two_graders_that_start_at_the_same_instant_share_a_key(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    together, answers = context.Barrier(4), context.Queue()
    arguments = (tmp_path, together, answers)
    graders = [context.Process(target=_key, args=arguments) for _ in range(4)]
    for grader in graders:
        grader.start()
    keys = {answers.get(timeout=60) for _ in graders}
    for grader in graders:
        grader.join()
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert (tmp_path / ".records" / "key").stat().st_mode & 0o077 == 0
