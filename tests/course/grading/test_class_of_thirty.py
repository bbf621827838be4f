"""A class of thirty in bubblewrap: what a student's check said is what the class is given."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from hpml.course.grading import tables
from hpml.course.grading.classes import GradedClass, grade_class
from hpml.course.grading.platforms import roster
from hpml.course.grading.record import Report
from hpml.course.grading.report import write_feedback_zip
from hpml.course.labs.catalogue import exercises
from tests.course.grading.class_of_thirty import BEST, CLASS, NAMES, chosen
from tests.course.grading.in_a_kernel import Kernel, kernel

pytestmark = [pytest.mark.thorough, pytest.mark.needs("bubblewrap")]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    folder = tmp_path_factory.mktemp("class")
    for work in CLASS.values():
        for name, data in work.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
    (folder / "07_code_generation.ipynb").write_text("another lab")
    return grade_class(folder, tmp_path_factory.mktemp("reports"), lab="06", jobs=2)


@pytest.fixture(scope="module")
def students(graded: GradedClass) -> dict[str, roster.Student]:
    rows = [work.row for work in CLASS.values()]
    found = roster.matched([each.report for each in graded.graded], rows)
    return dict(zip(CLASS, found, strict=True))


Parts = dict[str, dict[str, float]]


def checked(shell: Kernel, cells: Sequence[str]) -> Parts:
    """Return what each check, and `explain`, of a notebook says in a kernel."""
    said: Parts = {"explanation": {"right": float(chosen(BEST) in cells)}}
    for exercise in exercises("06"):
        said[exercise.name] = dict.fromkeys(exercise.parts, 0.0)
        if f"check({exercise.name})" in cells:
            own = [cell for cell in cells if not cell.startswith("while")]
            place = own.index(f"check({exercise.name})")
            own[place] = f"checked = {own[place]}"
            rest = [each for each in own if not each.startswith("check(")]
            found = shell.check("06", rest)
            assert found.parts is not None
            said[exercise.name] = dict(exercise.parts if found.right else found.parts)
    return said


def given(report: Report) -> Parts:
    """Return the points of a report by part, without those for speed, which depend on the load."""
    return {
        item.name: {p: item.parts.get(p, 0.0) for p in item.of if p != "speed"}
        for item in report.items
    }


def test_everybody_is_graded_once_and_matched(
    graded: GradedClass, students: dict[str, roster.Student]
) -> None:
    assert len(CLASS) == len(graded.graded) == 30
    assert graded.left_out == ["07_code_generation.ipynb"]
    assert {what for what, each in students.items() if each.report is None} == set()
    assert roster.not_in_roster([e.report for e in graded.graded], [*students.values()]) == []
    (line,) = roster.namesakes([*students.values()])
    assert line.startswith("Wei Wang (2 rows)")


def test_each_gets_what_the_checks_of_the_notebook_said(
    students: dict[str, roster.Student], tmp_path: Path
) -> None:
    known: dict[tuple[str, ...], Parts] = {}
    different = {}
    with kernel(tmp_path) as shell:
        for what, work in CLASS.items():
            key = tuple(work.cells)
            if key not in known:
                known[key] = checked(shell, key)
            report = students[what].report
            assert report is not None
            assert {item.name for item in report.items} == {*NAMES, "explanation"}
            if given(report) != known[key]:
                told = "; ".join(f"{item.name} {item.status}: {item.text}" for item in report.items)
                different[what] = f"{given(report)} and not {known[key]}: {told}"
    assert not different, "\n\n".join(f"{what}: {text}" for what, text in different.items())
    # The control: some are right, some partly, some have nothing.
    assert len({str(parts) for parts in known.values()}) >= 3


def test_the_instructor_reads_what_is_wrong_with_whose_work(
    graded: GradedClass, students: dict[str, roster.Student], tmp_path: Path
) -> None:
    reports = [each.report for each in graded.graded]
    lines = tables.look_at(reports)
    for what, work in CLASS.items():
        report = students[what].report
        assert report is not None
        (line,) = [each for each in lines if each.startswith(f"{report.shown}:")] or [""]
        assert work.notes in line, what
        assert bool(line) or work.cells, what
    assert [name for name in tables.late(reports) if "LATE" in name] == tables.late(reports) != []
    write_feedback_zip(reports, tmp_path / "feedback.zip")
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert len(archive.namelist()) == 30
