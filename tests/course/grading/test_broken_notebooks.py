from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hpml.course.grading.judge import Item, judged_choice
from hpml.course.grading.record import Report
from hpml.course.grading.run import _failed
from hpml.course.grading.tables import look_at
from hpml.course.lesson.cells import first_choice
from hpml.course.lesson.exercises.exercise import Choice
from hpml.course.sandbox.calling import raised
from hpml.course.sandbox.plain import encode
from hpml.course.sandbox.serve import LateError
from tests.course.grading.handed_in import (
    DOUBLE,
    EXPLANATION,
    LAB,
    LIMITS,
    RIGHT,
    TOTAL,
    grade,
    hand_in,
    notebook,
)

Graded = Callable[..., dict[str, Item]]


def _with(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def _link(path: Path) -> None:
    path.symlink_to(hand_in(path.parents[1] / "other", *RIGHT) / LAB)


def _with_a_hole(path: Path) -> None:
    path.write_bytes(notebook(DOUBLE, EXPLANATION).encode())
    os.truncate(path, 10**12)  # a file with a hole takes no room on the disk


REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no JSON": (_with(b"def double(n): return 2 * n"), "cannot be read as JSON"),
    "empty": (_with(b""), "is empty"),
    "no text": (_with(b"\xff\xfe\x00\x01"), "not UTF-8"),
    "a link": (_link, "cannot be read"),
    "a pipe": (os.mkfifo, "is not a file"),
    **{
        f"millions of {part}": (
            lambda path, part=part: path.write_text(
                f'{{"cells": [{f"{part}," * 2_000_000}{part}]}}'
            ),
            "too many cells and outputs",
        )
        for part in ("{}", "[]")
    },
    "thousands of cells": (_with(notebook(*["1"] * 5001).encode()), "5,001 cells"),
    "beyond the limit": (_with_a_hole, "clear its outputs"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_notebook_gets_nothing_and_the_reason(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    write, reason = REFUSED[what]
    folder = tmp_path / "one"
    folder.mkdir()
    write(folder / LAB)
    items = beside_a_right_one(folder)
    assert [item.status for item in items.values()] == ["unreadable"] * 3
    assert all(reason in item.text and item.score == 0 for item in items.values())


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


def test_only_what_the_function_needs_is_said_to_have_failed(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = tmp_path / "one"
    first = "import math\nfrom hpml.course import lab_head\nlab_head(6, 'Order')"
    hand_in(folder, f"{first}\nTWO = math.two", "def double(n):\n    return TWO * n")
    item = beside_a_right_one(folder, names=["double"])["double"]
    assert item.text.endswith(
        "In cell 1, line 4: AttributeError: module 'math' has no attribute 'two'"
    )
    assert item.note == "A cell that it needs failed."


@pytest.mark.thorough
def test_a_deadline_names_the_cell(tmp_path: Path) -> None:
    in_c = "TWO = sum(range(10**14))"  # which no alarm interrupts
    cells = "import math", in_c, "def double(n):\n    return TWO * n"
    folder = hand_in(tmp_path / "one", *cells)
    item = grade(folder, ["double"], limits=replace(LIMITS, load=1.5))["double"]
    assert item.status == "no answer"
    assert "Cell 2 was running." in item.text


def test_a_cell_that_is_ended_is_named_without_a_private_type() -> None:
    outcome = raised(LateError("Cell 2 ran for more than 20 seconds."))
    told = _failed({"failed": [{"cell": 2, "line": 1, "outcome": outcome}]})
    assert told == "\nIn cell 2, line 1: Cell 2 ran for more than 20 seconds."


def with_output(cell: str, shown: str, *, stream: bool = False) -> str:
    """Return a notebook whose cell was run and saved with this output."""
    made = json.loads(notebook(*RIGHT[:2], cell))
    data = {"output_type": "display_data", "data": {"text/plain": shown.splitlines(keepends=True)}}
    printed = {"output_type": "stream", "name": "stdout", "text": shown}
    made["cells"][-1]["outputs"] = [printed if stream else data]
    return json.dumps(made)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("number", "shown", "score"),
    [
        (2, "Explain: why?\nYou chose 1 first, which counts. It does not tell them apart.\n", 0),
        (2, "You chose 1. It does not tell them apart.", 0),  # changed, and not run again
        (2, "You chose 2. Yes, it tells them apart.", 1),
        (1, "You chose 2 first, which counts. Yes, it tells them apart.", 1),
        (2, "You chose 99. Yes", 1),
        (2, "If You chose 1. No", 1),
        (2, "", 1),
    ],
)
def test_the_first_choice_that_the_notebook_shows_counts(
    number: int, shown: str, score: float, stream: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / LAB).write_text(with_output(f"explanation = {number}", shown, stream=stream))
    assert grade(folder, ["explanation"])["explanation"].score == score


@pytest.mark.parametrize("text", ["You chose 1. [", '{"cells": ["You chose 1. "]}', "[" * 9999])
def test_an_output_that_cannot_be_read_shows_no_choice(text: str) -> None:
    assert first_choice(text) is None
