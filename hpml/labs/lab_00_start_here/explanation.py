"""Lab 00: why the generator takes longer than the list."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Make the work for each number heavier, and compare the differences."

EXPLANATION = Explanation(
    question=(
        "On a quiet machine the generator of section 4 takes longer than the list, with the same "
        "squares to add up."
    ),
    claims=(
        "Waking the generator costs a fixed time for every number.",
        "Inside a generator the arithmetic itself is slower.",
        "It was chance: the list met the machine in its better moments.",
    ),
    experiments={
        "Measure both again, with four times as many rounds as before.": (
            "It speaks to C only: if the difference stays, it was not chance. A and B both predict "
            "that it stays, so the cause remains in the dark."
        ),
        _BEST: (
            "A predicts about the same difference as before, B one that grows with the work, C one "
            "that comes and goes. Three hypotheses, three predictions."
        ),
        "Name the generator first in the comparison, and the list second.": (
            "All three predict no change, since the order within the rounds is shuffled already."
        ),
    },
    best=_BEST,
)
