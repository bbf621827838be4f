"""What lab 07's exercises hold to be right, and how generated source is run and judged."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hpml.course.exercises.exercise import Case, Wrong
from hpml.course.exercises.outcomes import Raised, Returned
from hpml.labs.catalogue import find
from hpml.labs.lab_07_code_generation.harness import input_values, layer_value, source_and_run
from hpml.sandbox.plain import decode, encode

HEAD = "def forward(self, x, y):\n    l = self._execution_order_layers\n"
DATA: dict[str, Any] = {
    "inputs": ["x", "y"],
    "calls": [("a", 4, ["x"]), ("b", 1, ["a", "y"]), ("c", 2, ["b"])],
    "output": "b",
}
GOOD = HEAD + "    a = l[4](x)\n    b = l[1](a, y)\n    return b\n"


def ran(source: object) -> dict[str, Any]:
    seen = decode(encode(source_and_run(source, DATA)))
    assert isinstance(seen, dict)
    return seen


def judged(source: object, part: str = "right") -> Wrong | None:
    return find("generate_forward").judge(Case("b", DATA, part), Returned(ran(source), {}))


def test_source_runs_on_layers_that_tell_arguments_and_numbers_apart() -> None:
    x, y = input_values(2)
    assert x != y
    found = ran(GOOD)
    assert found["value"] == layer_value(1, [layer_value(4, [x]), y])
    assert found["calls"] == [4, 1]
    assert (found["arguments"], found["lines"]) == (["self", "x", "y"], 4)
    assert judged(GOOD) is None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "a text"),
        ("", "no `def forward"),
        ("def forward(self, x, y)", "SyntaxError in line 1"),
        ("forward = 3", "no `def forward"),
        (HEAD + "    return b", "NameError"),
        (HEAD + "    return 1 / 0", "ZeroDivisionError"),
        ("def forward(self, y, x):" + GOOD[24:], "def forward(self, x, y):"),
        (HEAD + "    return x", "layers called: [4, 1]"),
        (HEAD + "    a = l[4](y)\n    b = l[1](a, y)\n    return b", "the forward returns"),
        (HEAD + "    return l[1](l[4](x), y)", "a line of its own"),
        (HEAD + "    a = l[4](x); b = l[1](a, y)\n    return b", "a line of its own"),
        (GOOD.replace("l = ", "k = ").replace("l[", "k["), "the first line is"),
        (HEAD + "    a = l[4]('x')\n    b = l[1](a, y)\n    return b", "expects values"),
    ],
)
def test_what_is_wrong_with_a_source_is_said(source: object, said: str) -> None:
    wrong = judged(source)
    assert wrong is not None
    assert said in f"{wrong.expected} {wrong.got} {wrong.why}"


def test_the_form_counts_in_the_first_part_only() -> None:
    assert judged(HEAD + "    return l[1](l[4](x), y)", "unneeded") is None


def test_a_docstring_is_no_line() -> None:
    assert judged(GOOD.replace("y):\n", 'y):\n    """Run."""\n', 1)) is None


def test_a_long_source_is_shown_by_its_ends() -> None:
    wrong = judged(GOOD.replace("    return b", "    z = l[0](x)\n" * 40 + "    return b"))
    assert wrong is not None
    assert wrong.got.count("z = ") < 10


def test_exact_types_are_asked_of_runs() -> None:
    exercise = find("compress_runs")
    case = exercise.cases(random.Random(0), False)[0]
    assert exercise.judge(case, Returned([(0, 3)], {})) is None
    assert exercise.judge(case, Returned([[0, 3]], {})) is not None


def test_the_unknown_execution_is_named_by_any_kind_of_value_error() -> None:
    exercise = find("predict_time")
    case = next(c for c in exercise.cases(random.Random(0), False) if c.part == "unknown")
    bases = ("MyError", "ValueError", "Exception")
    assert exercise.judge(case, Raised("MyError", bases, "no numba here")) is None
    assert exercise.judge(case, Raised("ValueError", bases[1:], "unknown")) is not None
    assert exercise.judge(case, Returned(1e-6, {})) is not None
