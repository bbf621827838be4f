"""Lab 01: why a loop over a NumPy array takes longer than one over a list."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Time looking up and adding apart, each with a hundred numbers and a million."

EXPLANATION = Explanation(
    question=(
        "The same loop, `out[i] = a[i] + b[i]` in Python, took longer over NumPy arrays than over "
        "lists, though the array keeps its numbers so much closer together."
    ),
    claims=(
        "Every `a[i]` of an array makes a new object for the number; the list has it ready.",
        "The array's numbers lie elsewhere in memory and are waited for.",
        "The additions themselves take longer: the objects are NumPy's, not Python's floats.",
    ),
    experiments={
        "Run the loop over `a.tolist()` in place of `a`, with a hundred numbers.": (
            "All three predict that the difference is gone: it is a list of Python's floats again, "
            "with objects ready, wherever they lie."
        ),
        _BEST: (
            "A predicts that looking up takes longer, by the same at both sizes; B that it takes "
            "longer with a million only; C that adding takes longer. Three hypotheses, three "
            "predictions, and they do not exclude one another."
        ),
        "Run the whole loop over both, with a hundred numbers and a million.": (
            "B predicts a difference with a million numbers only. A and C both predict the same "
            "difference for each element at both sizes, so they remain together."
        ),
    },
    best=_BEST,
)
