from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hpml.base.errors import describe
from hpml.course.grading import BadRequest, GradingError
from hpml.course.grading.find import COURSE, NothingToJudge, find, lab_number
from hpml.course.grading.run import read_cells
from tests.course.grading.handed_in import (
    CATALOGUE,
    DOUBLE,
    LAB,
    LIMITS,
    PATIENT,
    RIGHT,
    grade,
    hand_in,
    notebook,
)
from tests.parts import raises


def test_a_folder_is_graded_for_the_labs_that_are_in_it(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", *RIGHT)
    (folder / "notes.ipynb").touch()
    (folder / "07_code_generation.ipynb").touch()  # a lab that this catalogue does not know
    found = find(folder, catalogue=CATALOGUE)
    assert (found.name, found.notebooks) == ("ada", {"06": (folder / LAB,)})


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        ([], LAB),
        (["homework.json", "predictions.json"], "homework.json"),
        (["final final.py", "predictions.json"], "final final.py"),
        (["a.ipynb", "b.ipynb"], LAB),
        (["07_code_generation.ipynb"], LAB),
    ],
)
def test_a_lone_file_of_any_name_is_the_notebook_where_no_other_lab_can_be_meant(
    names: list[str], meant: str, tmp_path: Path
) -> None:
    for name in names:
        (tmp_path / name).write_text("{}")
    assert find(tmp_path, lab="06", catalogue=CATALOGUE).notebooks == {"06": (tmp_path / meant,)}


@pytest.mark.parametrize(
    "name", ["Copy of 06_forward_order.ipynb", "ada_06_forward_order-final.ipynb", "homework.ipynb"]
)
def test_a_renamed_notebook_is_found_where_nothing_else_can_be_meant(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).touch()
    assert find(tmp_path, lab="06", catalogue=CATALOGUE).notebooks == {"06": (tmp_path / name,)}
    (tmp_path / LAB).touch()
    found = find(tmp_path, lab="06", catalogue=CATALOGUE).notebooks["06"]
    assert (found[0], len(found)) == (tmp_path / LAB, 1 + (LAB[:-6] in name))


SCRIPT = "# %% [markdown]\n# Words.\n# %%\n" + "\n# %%\n".join(RIGHT)
NBFORMAT_3 = {
    "nbformat": 3,
    "worksheets": [
        {
            "cells": [
                {"cell_type": "code", "input": cell.splitlines(keepends=True)} for cell in RIGHT
            ]
        }
    ],
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("06_forward_order.py", SCRIPT),
        ("06_forward_order.json", notebook(*RIGHT)),
        ("lovelace_4711_06_forward_order-1.ipynb.txt", notebook(*RIGHT)),
        ("06_forward_order.ipynb", json.dumps(NBFORMAT_3)),
    ],
)
def test_other_forms_of_a_notebook_are_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    report = grade(tmp_path)
    assert [item.status for item in report.items] == ["right"] * 3


def test_of_two_notebooks_the_better_counts_for_each_exercise(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", DOUBLE, "def total(numbers):\n    return 0")
    copy = "06_forward_order (1).ipynb"
    (folder / copy).write_text(notebook(*RIGHT[1:]), encoding="utf-8")
    report = grade(folder)
    assert [item.status for item in report.items] == ["right"] * 3
    counted = [LAB, copy, copy]
    assert all(
        f"{name} counts" in item.text for name, item in zip(counted, report.items, strict=True)
    )


def test_of_two_choices_the_worse_counts(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", "explanation = 1")
    for number, cell in enumerate(("explanation = 2", "explanation = None"), 1):
        path = folder / f"{LAB[:-6]} ({number}).ipynb"
        path.write_text(notebook(cell), encoding="utf-8")
    report = grade(folder, ["explanation"])
    assert report["explanation"].status == "wrong"
    (folder / LAB).write_text(notebook("explanation = None"), encoding="utf-8")
    report = grade(folder, ["explanation"])
    assert report["explanation"].status == "right"


def test_other_json_beside_a_notebook_is_none_and_many_copies_are_graded(tmp_path: Path) -> None:
    (tmp_path / "a" / "work").mkdir(parents=True)
    (tmp_path / "a" / "answers.json").touch()
    names = [f"06_forward_order ({number}).ipynb" for number in range(1, 6)]
    for name in names:
        (tmp_path / "a" / "work" / name).touch()
    found = find(tmp_path / "a", lab="06", catalogue=CATALOGUE).notebooks["06"]
    assert [each.name for each in found] == names


def test_one_folder_around_everything_is_looked_into(tmp_path: Path) -> None:
    inner = tmp_path / "ada" / "lab 06"
    inner.mkdir(parents=True)
    (tmp_path / "__MACOSX").mkdir()
    (inner / LAB).touch()
    assert find(tmp_path, catalogue=CATALOGUE).notebooks == {"06": (inner / LAB,)}
    (tmp_path / "other").symlink_to(inner)
    assert find(tmp_path, catalogue=CATALOGUE).notebooks == {"06": (inner / LAB,)}
    (tmp_path / "another").mkdir()
    assert find(tmp_path, lab="06", catalogue=CATALOGUE).notebooks == {"06": (tmp_path / LAB,)}


def test_a_notebook_is_the_lab_that_its_name_says_or_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / LAB).touch()
    other = tmp_path / "ada.ipynb"
    other.touch()
    assert find(tmp_path / LAB, catalogue=CATALOGUE).labs == ("06",)
    assert find(other, lab="06", catalogue=CATALOGUE).labs == ("06",)
    with raises(GradingError, object=describe(str(other), 300), expected=LAB, remedy="--lab"):
        find(other, catalogue=CATALOGUE)


def test_what_is_not_there_is_an_error_that_says_what_was_expected(tmp_path: Path) -> None:
    with raises(GradingError, object=describe(str(tmp_path / "none"), 300), received="nothing"):
        find(tmp_path / "none", catalogue=CATALOGUE)
    with raises(GradingError, object=describe(str(tmp_path), 300), expected=LAB, remedy="--lab"):
        find(tmp_path, catalogue=CATALOGUE)
    for lab in ("99", "six", "-1"):
        with raises(BadRequest, object="lab", expected=COURSE.LABS[0], received=describe(lab)):
            lab_number(lab)


def test_the_same_seed_grades_the_same_again(tmp_path: Path) -> None:
    # Right for some numbers only, and it prints the order of a set.
    cell = "def double(n):\n    print({'a', 'b', 'c', str(n)})\n    return n * 2 if n % 3 else 0"
    folder = hand_in(tmp_path / "ada", cell)
    first, again = (grade(folder, seed=11) for _ in range(2))
    assert first["double"].text == again["double"].text
    assert first["double"].printed == again["double"].printed != ""
    assert first.seed == 11


def test_ones_own_notebook_may_write_a_helper_beside_itself(tmp_path: Path) -> None:
    cells = "%%writefile helper_of_double.py\nTWO = 2", "from helper_of_double import TWO"
    folder = hand_in(tmp_path / "ada", *cells, "def double(n):\n    return TWO * n")
    report = grade(folder, ["double"])
    assert (report.isolation, [item.status for item in report.items]) == ("none", ["right"])


def test_a_submission_whose_time_is_over_keeps_what_it_has(tmp_path: Path) -> None:
    waits = "def double(n):\n    while True:\n        pass"
    folder = hand_in(tmp_path / "ada", waits, *RIGHT[1:])
    limits = replace(LIMITS, submission=3.0)
    report = grade(folder, limits=limits, catalogue=PATIENT)
    assert [item.status for item in report.items] == ["no answer"] * 3
    assert "no answer: too slow" in report["double"].text
    assert report["total"].text == (
        "The time limit of the whole submission was reached before this exercise."
    )


# The first alarm may ring in a finaliser, where Python only warns; the next one ends the reading.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cell_that_takes_ipython_minutes_is_given_up(tmp_path: Path) -> None:
    cell = "!ls\n" * 400 + "numbers = [1, 2, 3]\n" * 5000
    folder = hand_in(tmp_path / "ada", cell)
    with pytest.raises(NothingToJudge, match="magic commands"):
        read_cells(folder / LAB, replace(LIMITS, start=0.5))
