"""Lab 11: why the toy ResNet takes no longer on larger images."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Record the forward as a CUDA graph, and time its replay at 16 and at 64 pixels."

EXPLANATION = Explanation(
    question=(
        "From 16 to 64 pixels the arithmetic grows sixteenfold. On the RTX 3080 the published time "
        "of the hand-written toy ResNet stays the same. Why?"
    ),
    claims=(
        "The GPU waits for the CPU, which issues kernels one by one; their number is the same.",
        "The kernels fill the time: a larger image keeps more of the GPU busy, for just as long.",
        "The clock was read too early: what was timed is the launches, whatever the GPU does.",
    ),
    experiments={
        "Time the forward at both sizes on a computer with a CPU of half the speed.": (
            "A predicts twice the time. So does C: it is the CPU that launches. Only B predicts "
            "the same time as before, so A and C remain together."
        ),
        _BEST: (
            "A predicts less time at both sizes: the kernels alone are left, and now their growth "
            "can show. B predicts the same time as before. C predicts next to nothing at both, as "
            "one launch of 49 is left. Three hypotheses, three predictions."
        ),
        "Synchronise the device before each reading of the clock, and time both again.": (
            "C predicts that the time at 64 pixels grows. A and B both predict that nothing "
            "changes, so they remain together."
        ),
        "Time both sizes once more on a GPU with twice as many units for arithmetic.": (
            "A and C predict no change, as the CPU decides. B predicts none either: even 64 "
            "pixels leave units idle. All three agree."
        ),
    },
    best=_BEST,
)
