"""Right answers in every style: how a notebook is written, saved or named costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hpml.course.grading.judge import Item
from tests.course.grading.handed_in import DOUBLE, EXPLANATION, LAB, TOTAL, hand_in, notebook

Graded = Callable[..., dict[str, Item]]

STYLES = {
    "numpy": [
        "import numpy as np\nTWO = np.array([2])",
        "def double(n):\n    return int(TWO[0]) * n",
    ],
    "deep recursion": [
        "import sys\nsys.setrecursionlimit(20_000)",
        "def down(k): return 2 if k == 0 else down(k - 1)\n"
        "def double(n):\n    return down(5000) * n",
    ],
    "cells that measure": ["while True:\n    pass", DOUBLE, "%timeit double(2)"],
    "a dataclass, an alias of a type, postponed annotations": [
        "from __future__ import annotations",
        "from dataclasses import dataclass\nNumber = int | float",
        "@dataclass(frozen=True)\nclass Pair:\n    left: Number\n    right: Number\n"
        "    def sum(self) -> Number: return self.left + self.right",
        "def double(n: Unknown) -> Number:\n    return Pair(n, n).sum()",
    ],
    "an import inside, and debugging prints": [
        "def double(n):\n    import math\n    print('double', n)\n    return math.prod([2, n])"
    ],
    "a builtin's name in a later scratch cell": [
        "def double(n):\n    return sum([n, n])",
        "sum = 3\nlist = [1, 2]",
    ],
    "a helper that a later cell defines again": [
        "def step(): return 2",
        "def double(n): return step() * n",
        "def step(): return 3",
    ],
    "a helper below it, which a later cell defines again for another exercise": [
        "def double(n): return helper(n)",
        "def helper(n): return 2 * n",
        "check(double)",
        "def helper(values, x, count): return values",
    ],
    "a value below it that a later cell assigns again": [
        "def double(n): return base * n // 28",
        "base = 56\nassert check(double).right",
        "base = 88",
    ],
    "words to IPython left in it": [
        "def double(n):\n    display(n)\n    get_ipython().run_line_magic('time', 'n')\n"
        "    return 2 * n"
    ],
    "a pasted session": [
        ">>> TWO = 2\n>>> def double(n):\n...     return TWO * n\n...\n>>> double(2)"
    ],
    "a helper written to a file": [
        "%%writefile helper_of_double.py\nTWO = 2",
        "from helper_of_double import TWO\ndef double(n):\n    return TWO * n",
    ],
    "a value that a later cell changes": [
        "FACTORS = [2]",
        "def double(n): return FACTORS[-1] * n",
        "FACTORS.append(3)",
    ],
    "an abandoned draft below": [
        DOUBLE,
        "def double(n):\n    result = n\n    for _ in range(1):\n        pass\n    return result",
    ],
    "a number of NumPy": ["import numpy as np\ndef double(n):\n    return np.int64(2 * n)"],
    "a function that no statement binds": [
        "def twice(n): return 2 * n",
        "globals()['double'] = twice",
    ],
    "a function that is executed from a text": ["exec('def double(n): return 2 * n')"],
    "a lambda alone": ["double = lambda n: 2 * n"],
    "other names of its parameters": ["def double(number): return 2 * number"],
    "Colab": [
        '#@title Twice { run: "auto" }\n!pip -q install numpy\n%load_ext autoreload\n' + DOUBLE
    ],
}

SPOILT_BELOW = {
    "a value that a later cell changes",
    "a builtin's name in a later scratch cell",
    "a helper that a later cell defines again",
    "an abandoned draft below",
    "a helper below it, which a later cell defines again for another exercise",
    "a value below it that a later cell assigns again",
}


@pytest.mark.parametrize("style", STYLES)
def test_a_right_answer_is_right_in_every_style(
    style: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    folder = hand_in(tmp_path / "one", *STYLES[style])
    item = beside_a_right_one(folder, names=["double"])["double"]
    assert item.status == "right"
    earlier = "earlier cell" if style in SPOILT_BELOW else ""
    assert earlier in item.note
    assert earlier in item.text
    assert bool(item.text) == bool(earlier)
    assert ("numpy's int64" in item.note) == (style == "a number of NumPy")


@pytest.mark.parametrize("name", [LAB, f"Copy of {LAB}", LAB.upper()])
def test_however_it_was_saved_and_named(
    name: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    (tmp_path / "one").mkdir()
    text = json.dumps(
        json.loads(notebook(DOUBLE, TOTAL, EXPLANATION).replace("\\n", "\\r\\n")), indent=1
    )
    (tmp_path / "one" / name).write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    items = beside_a_right_one(tmp_path / "one")
    assert [item.status for item in items.values()] == ["right"] * 3
