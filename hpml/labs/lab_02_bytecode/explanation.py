"""Lab 02: why ``x ** 2`` takes longer than ``x * x``."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Time `x * 2`, with the same constant, and `x & x`, which has no form for ints."

EXPLANATION = Explanation(
    question=(
        "`x ** 2` and `x * x` each load two values and execute one `BINARY_OP`. For ints, `x ** 2` "
        "took longer. Why?"
    ),
    claims=(
        "What happens inside the instruction: raising to a power is a longer calculation.",
        "Specialisation: `*` has a form for ints, `**` none. The time goes into looking at types.",
        "Loading: a constant takes longer to load than a local variable.",
    ),
    experiments={
        "Call both a thousand times, then look with `disassemble(..., adaptive=True)`.": (
            "It would show that `*` has been replaced by a form for ints and `**` has not. That is "
            "true under all three claims: it says that there is a difference, not that the time "
            "goes there."
        ),
        "Time `x * 2`, which loads the same constant, beside `x * x`.": (
            "C predicts that `x * 2` takes longer. A and B both predict that it does not, so they "
            "remain together."
        ),
        _BEST: (
            "A predicts that both are as fast as `x * x`; B that `x & x` is as slow as the power; "
            "C that `x * 2` is. Three hypotheses, three predictions."
        ),
    },
    best=_BEST,
)
