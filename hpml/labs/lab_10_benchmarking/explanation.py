"""Lab 10: why a profile blames a function that is called often."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Let each call do ten times the work, with as many calls as before; profile in many rounds."

EXPLANATION = Explanation(
    question=(
        "Under the profiler a program that calls a small function 20,000 times takes longer than "
        "without it. Where does that extra time come from? It is the time with the profiler minus "
        "the time without."
    ),
    claims=(
        "The profiler takes a fixed time for every call, whatever the call does.",
        "Under the profiler all work takes longer, by some factor.",
        "The profiled run comes first: its caches are cold, those of the others are not.",
    ),
    experiments={
        "Profile the same program again, in many rounds, one after another.": (
            "C predicts that the extra time vanishes after the first round. A and B both predict "
            "that it stays as it is, so they remain together."
        ),
        "Read in the table of the profile how often each function was called.": (
            "All three agree on the number of calls, and the table gives no time without the "
            "profiler to compare with."
        ),
        _BEST: (
            "A predicts the same extra time as before, B about ten times as much, C none from the "
            "second round on. Three hypotheses, three predictions."
        ),
        "Call the function twice as often, with the same work in each call.": (
            "A predicts twice the extra time. So does B: there is twice as much work."
        ),
    },
    best=_BEST,
)
