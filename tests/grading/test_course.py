"""Copies of the course's notebooks, filled with the right solutions, with wrong ones, with none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpml.base.files import course_folder
from hpml.course.execute import find_lab
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.wrong_answers import wrong_answers
from hpml.grading.pool import Grader
from hpml.grading.reports.report import Item
from hpml.grading.submission import find
from hpml.labs import catalogue

SOLUTIONS = course_folder() / "tests" / "solutions"
LABS = find(course_folder() / "notebooks").labs


def _solution(exercise: Exercise, *, right: bool) -> str:
    if not right:
        return wrong_answers(exercise)[0].program(exercise.name)
    folder = SOLUTIONS / f"lab_{exercise.lab}" / exercise.name
    return (folder / "right.py").read_text(encoding="utf-8")


def _filled(lab: str, folder: Path, *, right: bool) -> Path:
    path = find_lab(lab)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    # As a student leaves it who works at the end: the stubs stay, the last definition counts.
    sources = [_solution(exercise, right=right) for exercise in catalogue.exercises(lab)]
    choice = catalogue.choice(lab)
    sources.append(f"{choice.name} = {choice.best if right else choice.best % 3 + 1}")
    notebook["cells"] += [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources
    ]
    (folder / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    return folder


def _graded(lab: str, folder: Path) -> list[tuple[Exercise | Choice, Item]]:
    """Return what each entry of the lab earns; the report has all of them, in order."""
    entries = (*catalogue.exercises(lab), catalogue.choice(lab))
    with Grader() as grader:
        items, _ = grader.grade(find(folder, labs=[lab]).task(17))
    assert [item.name for item in items] == [entry.name for entry in entries]
    return list(zip(entries, items, strict=True))


@pytest.mark.parametrize("lab", LABS)
def test_right_solutions_earn_full_points(lab: str, tmp_path: Path) -> None:
    for entry, item in _graded(lab, _filled(lab, tmp_path, right=True)):
        if isinstance(entry, Exercise) and entry.speed is not None:
            # What its time earns is for this machine to say, not for this test.
            assert item.earned >= sum(entry.parts.values()), item
            assert not item.text or item.text.startswith("Time: "), item
        else:
            assert (item.status, item.earned + item.extra) == ("right", item.most), item


@pytest.mark.parametrize("lab", LABS)
def test_wrong_solutions_earn_less_with_their_diagnosis(lab: str, tmp_path: Path) -> None:
    for entry, item in _graded(lab, _filled(lab, tmp_path, right=False)):
        assert item.status in ("wrong", "partly right", "no answer", "forbidden"), item
        assert item.earned + item.extra < item.most or item.most == 0, item
        if isinstance(entry, Exercise) and item.status != "forbidden":
            assert wrong_answers(entry)[0].diagnosis in item.text, item


@pytest.mark.parametrize("lab", LABS)
def test_stubs_are_not_done(lab: str) -> None:
    for _, item in _graded(lab, course_folder() / "notebooks"):
        assert (item.status, item.earned) == ("not done", 0), item
