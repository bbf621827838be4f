"""Lab 12: whether a published accuracy tells one recipe from another."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Train both from several seeds, and float32 once more with a weight's last digit changed."

EXPLANATION = Explanation(
    question=(
        "In the published table mixed precision is 1.3 points more accurate than vanilla. Each "
        "comes from one run. What is the difference from?"
    ),
    claims=(
        "Precision: coarser rounding acts as noise, and with noise the network learns better.",
        "Seed: weights and order are drawn again for each run, and runs with equal seeds agree.",
        "Digits: any other rounding, however small, grows until the two networks differ.",
    ),
    experiments={
        "Train each of the two recipes ten times as long, from one seed in common.": (
            "All three allow a difference here, and none says how large. One run of each remains."
        ),
        "Train vanilla once more, from another seed, and compare with the published figures.": (
            "B predicts another accuracy. So does C, and A denies it for neither: it is about the "
            "recipe."
        ),
        _BEST: (
            "A predicts that mixed precision wins, seed by seed. B predicts that equal seeds agree "
            "and others do not. C predicts that the changed digit moves the accuracy as far as "
            "mixed precision does. Three hypotheses, three predictions."
        ),
        "Compare the accuracies on the training images in place of those that are kept apart.": (
            "All three predict some difference there as well, and none says which."
        ),
    },
    best=_BEST,
)
