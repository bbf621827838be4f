"""Lab 05: what the time goes into that autograd takes for its record."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Make the values 64 times as large, once of additions and once of tanh."

EXPLANATION = Explanation(
    question=(
        "Suppose that operations, as in section 6, take longer when autograd records them, by "
        "some extra time for each. What is that time spent on? Each experiment looks at the extra "
        "time per operation."
    ),
    claims=(
        "Recording: making a node and linking it to the one before, whatever the numbers.",
        "Keeping: what backward will need stays alive, and new memory must be found instead; the "
        "more bytes are kept, the longer it takes.",
        "Computing: derivatives are computed along with the results, so more numbers take longer.",
    ),
    experiments={
        "Make the chain ten times as long, and then a hundred times.": (
            "All three predict the same extra time per operation. It would be known more exactly, "
            "and not explained."
        ),
        _BEST: (
            "A predicts that the extra time stays for both, B that it grows for tanh, which keeps "
            "its result, and not for additions, C that it grows for both. Three hypotheses, three "
            "predictions."
        ),
        "Make the values of the fifty tanh 64 times as large.": (
            "A predicts that the extra time stays. B and C both predict that it grows, so they "
            "remain together."
        ),
    },
    best=_BEST,
)
