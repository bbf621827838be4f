"""Copies of the course's notebooks, filled with the right solutions, with wrong ones, with none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from hpml.base.files import course_folder
from hpml.course.execute import find_lab
from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.mistakes import mistakes_of
from hpml.grading.pool import WorkerPool
from hpml.grading.reports.report import Item
from hpml.grading.submission import find
from hpml.labs import catalogue

SOLUTIONS = course_folder() / "tests" / "solutions"
LABS = find(course_folder() / "notebooks").labs
ENTRIES: list[tuple[str, Exercise | Choice]] = [
    (f"{lab}.{entry.number} {entry.name}", entry)
    for lab in LABS
    for entry in (*catalogue.exercises(lab), catalogue.choice(lab))
]
Graded = Mapping[str, Mapping[str, Item]]


def _solution(exercise: Exercise, *, right: bool) -> str:
    if not right:
        return mistakes_of(exercise)[0].source
    folder = SOLUTIONS / f"lab_{exercise.lab}" / exercise.name
    return (folder / "right.py").read_text(encoding="utf-8")


def _filled(lab: str, folder: Path, *, right: bool) -> None:
    path = find_lab(lab)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    # As a student leaves it who works at the end: the stubs stay, the last definition counts.
    sources = [_solution(exercise, right=right) for exercise in catalogue.exercises(lab)]
    choice = catalogue.choice(lab)
    sources.append(f"{choice.name} = {choice.best if right else choice.best % 3 + 1}")
    notebook["cells"] += [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources
    ]
    folder.mkdir(exist_ok=True)
    (folder / path.name).write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("course")
    for lab in LABS:
        _filled(lab, folder / "right", right=True)
        _filled(lab, folder / "wrong", right=False)
    places = {"right": folder / "right", "wrong": folder / "wrong"}
    places["stub"] = course_folder() / "notebooks"
    tasks = [find(path).task(17) for path in places.values()]
    with WorkerPool(2) as pool:
        found = {place: items for place, items, _ in pool.grade(tasks)}
    return {name: {item.title: item for item in found[place]} for place, name in enumerate(places)}


def test_every_exercise_is_in_the_report_in_order(graded: Graded) -> None:
    assert [list(items) for items in graded.values()] == [[title for title, _ in ENTRIES]] * 3


@pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
def test_a_right_solution_earns_full_points(
    graded: Graded, title: str, entry: Exercise | Choice
) -> None:
    item = graded["right"][title]
    if isinstance(entry, Exercise) and entry.speed is not None:
        # What its time earns is for this machine to say, not for this test.
        assert item.earned >= sum(entry.parts.values()), item.text
    else:
        assert (item.status, item.earned + item.extra) == ("right", item.most), item.text


@pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
def test_a_wrong_solution_earns_less_with_its_diagnosis(
    graded: Graded, title: str, entry: Exercise | Choice
) -> None:
    item = graded["wrong"][title]
    assert item.status in ("wrong", "partly right", "no answer", "forbidden"), item.text
    assert item.earned + item.extra < item.most or item.most == 0
    if isinstance(entry, Exercise) and item.status != "forbidden":
        assert mistakes_of(entry)[0].diagnosis in item.text


@pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
def test_the_stub_is_not_done(graded: Graded, title: str, entry: Exercise | Choice) -> None:
    item = graded["stub"][title]
    assert (item.status, item.earned) == ("not done", 0)
