"""Lab 08: what one loop saves."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Take so few numbers that the whole result fits into the nearest cache."

EXPLANATION = Explanation(
    question=(
        "Three compiled loops take longer than one that does the same arithmetic. What is the "
        "extra time spent on? Each experiment looks at the extra time for each number."
    ),
    claims=(
        "Memory: the second and third loop fetch what the one before has just sent away.",
        "Iterations: each one counts and jumps, and three loops have three times as many.",
        "Starts: each loop takes a fixed time to begin, and three begin in place of one.",
    ),
    experiments={
        "Measure both again, with four times as many rounds as before.": (
            "All three predict the same extra time, known more exactly."
        ),
        "Take four times as many numbers: none of the results fits into a cache.": (
            "C predicts that the extra time for each number shrinks, because the number of starts "
            "stays the same. A and B both predict that it stays."
        ),
        _BEST: (
            "A predicts that the extra time for each number shrinks, B that it stays, C that it "
            "grows, because few numbers share the starts. Three hypotheses, three predictions."
        ),
        "Write the three loops in C in place of Numba.": (
            "All three predict about the same: the same loops and the same memory."
        ),
    },
    best=_BEST,
)
