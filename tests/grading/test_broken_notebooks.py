"""Notebooks as they are handed in: not JSON, without the cell, with two of them, with 50 MB."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hpml.course.exercises.exercise import Choice
from hpml.grading.judge import Item, judged_choice
from hpml.grading.record import Report
from hpml.grading.tables import look_at
from hpml.sandbox.plain import encode
from tests.grading.handed_in import DOUBLE, EXPLANATION, LAB, RIGHT, TOTAL, hand_in, notebook

Graded = Callable[..., dict[str, Item]]

NO_NOTEBOOK = {
    "no JSON": (b"def double(n): return 2 * n", "cannot be read as JSON"),
    "empty": (b"", "is empty"),
    "no text": (b"\xff\xfe\x00\x01", "not UTF-8"),
}


@pytest.mark.parametrize("what", NO_NOTEBOOK)
def test_what_is_no_notebook_gets_nothing_and_the_reason(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    content, reason = NO_NOTEBOOK[what]
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / LAB).write_bytes(content)
    items = beside_a_right_one(folder)
    assert [item.status for item in items.values()] == ["unreadable"] * 3
    assert all(reason in item.text and item.score == 0 for item in items.values())


def test_a_link_is_refused(tmp_path: Path, beside_a_right_one: Graded) -> None:
    other = hand_in(tmp_path / "other", *RIGHT)
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / LAB).symlink_to(other / LAB)
    items = beside_a_right_one(folder)
    assert all("cannot be read" in item.text and item.score == 0 for item in items.values())


def test_a_pipe_does_not_hold_the_grader(tmp_path: Path, beside_a_right_one: Graded) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    os.mkfifo(folder / LAB)
    items = beside_a_right_one(folder)
    assert all("is not a file" in item.text for item in items.values())


@pytest.mark.parametrize(("part", "count"), [("{}", 2_000_000), ("[]", 2_000_000)])
def test_millions_of_empty_parts_do_not_fill_the_graders_memory(
    part: str, count: int, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / LAB).write_text(f'{{"cells": [{f"{part}," * count}{part}]}}', encoding="utf-8")
    items = beside_a_right_one(folder)
    assert all("too many cells and outputs" in item.text for item in items.values())


def test_thousands_of_cells_are_refused(tmp_path: Path, beside_a_right_one: Graded) -> None:
    items = beside_a_right_one(hand_in(tmp_path / "one", *["1"] * 5001))
    assert all("5,001 cells" in item.text for item in items.values())


def test_a_notebook_without_the_function_says_which(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    items = beside_a_right_one(hand_in(tmp_path / "one", TOTAL))
    assert items["double"].status == "missing"
    assert "defines a function `double`" in items["double"].text
    assert items["total"].status == "right"
    assert items["explanation"].status == "missing"


def test_a_syntax_error_spoils_its_own_cell_only(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cells = "print('x'", DOUBLE, "def total(numbers):\n    ...", "def total(:\n  1"
    items = beside_a_right_one(hand_in(tmp_path / "stub", *cells))
    assert items["double"].status == "right"
    assert items["total"].status == "not done"
    said = f"not valid Python {sys.version_info[0]}.{sys.version_info[1]}: cell 1"
    assert said in items["total"].text
    items = beside_a_right_one(hand_in(tmp_path / "one", *cells[:2], cells[3]))
    assert items["total"].status == "missing"
    assert "cell 3" in items["total"].text
    assert "a cell that is not valid Python" in look_at([Report("one", (items["total"],), 1)])[0]
    needs = "def total(numbers):\n    return helper(numbers)"
    item = beside_a_right_one(hand_in(tmp_path / "needs", "def helper(:", needs))["total"]
    assert item.status == "wrong"
    assert said in item.text
    assert said in item.note


@pytest.mark.parametrize("value", [0, 1, 4, 2.0, True, "2", [2], -2, ()])
def test_an_explanation_counts_only_as_the_number_of_the_best_experiment(value: object) -> None:
    choice = Choice("06", 3, best=2)
    item = judged_choice(choice, [encode(value)])
    assert (item.score, item.status) == (0, "wrong")


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        (["explanation = None", "explanation = 2", "explanation = None"], "right"),
        (["explanation = 1", "explanation = 2"], "wrong"),
        (["explanation = '2'", "explanation = 9", "explanation = 2"], "right"),
    ],
)
def test_the_first_choice_in_a_notebook_counts(
    cells: list[str], status: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = hand_in(tmp_path / "one", *cells)
    item = beside_a_right_one(folder, names=["explanation"])["explanation"]
    assert item.status == status


def test_fifty_megabytes_of_output_in_the_notebook_cost_nothing(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = hand_in(tmp_path / "one", *RIGHT)
    content = json.loads(notebook(*RIGHT))
    output = {"output_type": "stream", "name": "stdout", "text": "x" * 50_000_000}
    content["cells"][0]["outputs"] = [output]
    (folder / LAB).write_text(json.dumps(content), encoding="utf-8")
    items = beside_a_right_one(folder)
    assert [item.status for item in items.values()] == ["right"] * 3


def test_a_notebook_beyond_the_limit_says_what_to_do(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = hand_in(tmp_path / "one", DOUBLE, EXPLANATION)
    with open(folder / LAB, "r+b") as stream:
        stream.truncate(10**12)  # a file with a hole takes no room on the disk
    items = beside_a_right_one(folder)
    assert all("clear its outputs" in item.text for item in items.values())


def test_only_what_the_function_needs_is_said_to_have_failed(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = tmp_path / "one"
    first = "import math\nfrom hpml.labs import lab_head\nlab_head(6, 'Order')"
    hand_in(folder, f"{first}\nTWO = math.two", "def double(n):\n    return TWO * n")
    item = beside_a_right_one(folder, names=["double"])["double"]
    assert item.text.endswith(
        "In cell 1, line 4: AttributeError: module 'math' has no attribute 'two'"
    )
    assert item.note == "A cell that it needs failed."
