"""Lab 04: what a call of a compiled function spends before its first instruction."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = (
    "Call it with eight arrays in place of one; then, instead, with one a thousand times as large."
)

EXPLANATION = Explanation(
    question=(
        "A function that Numba compiled returns the first number of an array and does nothing "
        "else. Yet a call of it takes many times as long as an addition. Why?"
    ),
    claims=(
        "Arguments: for each of them the call finds out its type and reads its address and shape.",
        "Copies: the numbers are copied to where the compiled code can use them.",
        "The result: the number has to become an object of Python again.",
    ),
    experiments={
        "Call it a million times in a loop, and take the median of them.": (
            "All three predict the same time, known more exactly."
        ),
        "Call it with an array of the same shape that was made by another program.": (
            "The type is the same, the numbers are as many, and so is the result. All three "
            "predict that the time stays."
        ),
        "Call it once more, with an array a thousand times as large.": (
            "B predicts that the time grows. A and C both predict that it stays, so they remain "
            "together."
        ),
        _BEST: (
            "A predicts that the time grows and then stays, B that it grows both times, C that it "
            "stays both times. Three hypotheses, three predictions."
        ),
    },
    best=_BEST,
)
