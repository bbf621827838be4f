"""Copies of the course's notebooks, filled with the right solutions, with wrong ones, with none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpml.course.files import course_folder
from hpml.course.grading.classes import grade_class
from hpml.course.grading.find import find
from hpml.course.grading.grader import Grader
from hpml.course.labs import catalogue
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.lesson.exercises.wrong_answers import wrong_answers

pytestmark = pytest.mark.needs("bubblewrap")
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


@pytest.mark.thorough
@pytest.mark.parametrize("lab", LABS)
def test_right_solutions_graded_side_by_side_earn_full_points(lab: str, tmp_path: Path) -> None:
    for name in ("ada", "bob"):
        folder = tmp_path / "class" / name
        folder.mkdir(parents=True)
        _filled(lab, folder, right=True)
    graded = grade_class(tmp_path / "class", tmp_path / "reports", lab=lab, jobs=2, seed=17).graded
    for each in graded:
        for item in each.report.items:
            # What its time earns is for this machine to say, not for this test.
            parts = {part: most for part, most in item.of.items() if part != "speed"}
            assert {part: item.parts[part] for part in parts} == parts, item
            assert item.right or item.text.startswith("Time: "), item


def test_wrong_solutions_earn_less_with_their_diagnosis(tmp_path: Path) -> None:
    with Grader() as grader:
        items = grader.grade(find(_filled("06", tmp_path, right=False), lab="06"), 17).items
    for exercise, item in zip(catalogue.exercises("06"), items, strict=False):
        assert item.status in ("wrong", "partly right", "no answer"), item
        assert item.score < item.most, item
        assert wrong_answers(exercise)[0].diagnosis in item.text, item
    assert items[-1].status == "wrong"


@pytest.mark.thorough
@pytest.mark.parametrize("lab", LABS)
def test_stubs_are_not_done(lab: str) -> None:
    with Grader() as grader:
        items = grader.grade(find(course_folder() / "notebooks", lab=lab), 17).items
    assert {(item.status, item.score) for item in items} == {("not done", 0)}
