"""Lab 14: what ONNX Runtime saves against eager."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Give both images of sixteen times as many pixels; compare them in many rounds."

EXPLANATION = Explanation(
    question=(
        "With all optimisations ONNX Runtime takes less time than eager. Where does eager spend "
        "the extra time? Each experiment looks at that extra time."
    ),
    claims=(
        "Calls: Python and PyTorch take a fixed time for each operator, however large its tensors.",
        "Work: eager's operators take longer for each pixel, by kernels or by memory that moves.",
        "Start: eager's first calls prepare what its later calls reuse.",
    ),
    experiments={
        _BEST: (
            "A predicts the same extra time as before, B about sixteen times as much, C none once "
            "the first round is over. Three hypotheses, three predictions."
        ),
        "Leave the images as they are; compare them in four times as many rounds.": (
            "C predicts that the extra time vanishes. A and B both predict that it stays as it is, "
            "so they remain together."
        ),
        "Take a network of twice as many blocks; compare both in many rounds.": (
            "A predicts twice the extra time, for there are twice as many calls. So does B: there "
            "is twice as much work."
        ),
        "Count in both graphs how many operators are left after optimisation.": (
            "All three agree on these numbers, and none of them is a time."
        ),
    },
    best=_BEST,
)
