from __future__ import annotations

from typing import Any

import pytest

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_07_code_generation.harness import (
    input_values,
    layer_value,
    source_and_run,
)
from hpml.course.lesson.exercises.exercise import Case, Wrong
from hpml.course.lesson.exercises.outcomes import Returned
from hpml.course.sandbox.plain import decode, encode

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
    assert (found["arguments"], found["lines"]) == ("self, x, y", 4)
    assert judged(GOOD) is None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "a string"),
        ("def forward(self, x, y)", "SyntaxError: "),
        (HEAD + "    return b", "NameError"),
        ("def forward(self, y, x):" + GOOD[24:], "def forward(self, x, y):"),
        (HEAD + "    return x", "layers called: [4, 1]"),
        (HEAD + "    a = l[4](y)\n    b = l[1](a, y)\n    return b", "the forward returns"),
        (HEAD + "    return l[1](l[4](x), y)", "one for each call"),
        (GOOD.replace("l = ", "k = ").replace("l[", "k["), "the first line is"),
        (HEAD + "    a = l[4]('x')\n    b = l[1](a, y)\n    return b", "expected values"),
    ],
)
def test_what_is_wrong_with_a_source_is_said(source: object, said: str) -> None:
    wrong = judged(source)
    assert wrong is not None
    assert said in f"{wrong.expected} {wrong.received} {wrong.why}"


@pytest.mark.parametrize("part", find("generate_forward").parts)
def test_the_form_counts_in_each_part(part: str) -> None:
    assert judged(GOOD, part) is None
    assert judged(HEAD + "    return l[1](l[4](x), y)", part) is not None
