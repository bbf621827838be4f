"""Lab 07: why lines like ``self.fc7(h)`` take longer than lines like ``l[7](h)``."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Measure both at 25 and at 250 layers, and divide the differences by them."

EXPLANATION = Explanation(
    question=(
        "Section 1 timed single lookups. In a whole forward, lines like `h = self.fc7(h)` should "
        "then take longer than lines like `h = l[7](h)`, on the same layers. Suppose they do. "
        "Why?"
    ),
    claims=(
        "Every `self.fc7` costs a fixed time: Python's search fails, then `__getattr__` runs.",
        "The more submodules a module holds, the longer it searches for one of them.",
        "Entering the module costs a fixed time once a forward; each layer then costs the same.",
    ),
    experiments={
        _BEST: (
            "A predicts the same difference a layer at both depths, B a larger one at 250, C one "
            "that shrinks to a tenth. Three hypotheses, three predictions."
        ),
        "Measure both again, with four times as many rounds.": (
            "All three predict the same difference as before, only with a narrower interval. It "
            "would show that there is something to explain, not what."
        ),
        "Make the layers wider, 64 features in place of 4.": (
            "All three predict the same difference in nanoseconds, on top of a longer time: the "
            "arithmetic grows on both sides alike."
        ),
    },
    best=_BEST,
)
