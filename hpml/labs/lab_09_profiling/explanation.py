"""Lab 09: why a tracing profiler makes one program much slower, and another hardly at all."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = (
    "Do the same work in a fiftieth of the calls; then, instead, keep the calls and discard each "
    "event."
)

EXPLANATION = Explanation(
    question=(
        "Your tracing profiler makes the counting of words many times slower. What is the extra "
        "time spent on? Each experiment looks at this extra time of a whole run."
    ),
    claims=(
        "The hook: it is called twice for each call, reads the clock and makes an event.",
        "Memory: the list of events grows, and new memory must be fetched from the system.",
        "The interpreter: while a hook is set, each instruction takes longer.",
    ),
    experiments={
        "Trace the same program once more, on a text that is ten times as long.": (
            "All three predict about ten times the extra time: there are ten times as many calls, "
            "events and instructions."
        ),
        "Do the same work in a fiftieth of the calls, on one much longer text.": (
            "C predicts that the extra time stays: the instructions are nearly the same. A and B "
            "both predict that it shrinks, since there are fewer events. They remain together."
        ),
        _BEST: (
            "A predicts that the extra time shrinks with the calls, and stays when events are "
            "discarded. B predicts that it shrinks in both, C that it stays in both. Three "
            "hypotheses, three predictions."
        ),
    },
    best=_BEST,
)
