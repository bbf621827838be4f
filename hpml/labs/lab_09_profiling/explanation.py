"""Lab 09: why two profilers give one function different shares of the same program."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Let each call do 50 times as much, in fewer calls; then, instead, sample 5 times as often."

EXPLANATION = Explanation(
    question=(
        "Your tracing profiler gives the short function `normalise` a larger share of the program "
        "than your sampling profiler does. Suppose that this is no accident. Why?"
    ),
    claims=(
        "Tracing runs the hook at each call, and most of that time falls into the short function.",
        "Sampling misses it: one call of it is over long before the next sample.",
        "The program does something else each time: the two profilers saw different runs.",
    ),
    experiments={
        "Run both profilers again, on a text that is ten times as long.": (
            "A and B predict the same difference again: calls are as short as before. C predicts "
            "some other one. So A and B remain together."
        ),
        _BEST: (
            "A predicts that the difference goes away in longer calls, and stays when samples are "
            "more frequent. B predicts that it stays in the longer calls, still shorter than an "
            "interval, and shrinks with more frequent samples. C predicts no rule in either."
        ),
        "Count the calls of `normalise` with the counting profiler, several times.": (
            "C predicts that the counts differ. A and B both predict that they are the same."
        ),
    },
    best=_BEST,
)
