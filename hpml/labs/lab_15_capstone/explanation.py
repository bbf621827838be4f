"""Lab 15: why reading numbers one by one takes time where no GPU is waited for."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = (
    "Read losses that were computed long ago, with `item` one by one; then with 64 calls of "
    "`tolist`, each for one loss."
)

EXPLANATION = Explanation(
    question=(
        "On a CPU, 64 calls of `item` on the losses of a batch take much longer than one "
        "`tolist`. On a GPU the reason is known: each call waits for the device. What is it here?"
    ),
    claims=(
        "Waiting: PyTorch computes in the background, and `item` waits until the loss is there.",
        "Calls: each costs a fixed time, to pick a number from the tensor and to return it.",
        "The function: `item` converts a number in a slow way, and `tolist` in a fast one.",
    ),
    experiments={
        "Read the losses of a batch of 640 signals with `item` one by one; then with one call of "
        "`tolist` for all of them.": (
            "All three predict that `item` takes longer here too: there is more to wait for, there "
            "are more calls, and more numbers to convert."
        ),
        _BEST: (
            "A predicts that `item` takes hardly any time when the loss is already computed. B "
            "and C predict that it takes as long as before. Then C predicts that `tolist` is far "
            "faster, and B that it is not. Three hypotheses, three predictions."
        ),
        "Read losses that were computed long ago, with `item` one by one; then read those that "
        "were computed just now.": (
            "A predicts a difference. B and C both predict none, so they remain together."
        ),
    },
    best=_BEST,
)
