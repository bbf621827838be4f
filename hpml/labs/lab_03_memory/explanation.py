"""Lab 03: what decides how long a collection takes."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Keep ten times as many lists; then, instead, as many as before with 100 times the bytes."

EXPLANATION = Explanation(
    question=(
        "A call of `gc.collect()` takes longer in some programs than in others, even where it "
        "finds nothing to free. What decides how long it takes?"
    ),
    claims=(
        "Objects: it follows the references of every container that is alive.",
        "Bytes: it reads through all the memory that the objects take.",
        "Garbage: it takes time only for what it frees; without garbage it always takes the same.",
    ),
    experiments={
        "Call it a hundred times in a row, and take the median of the times.": (
            "All three predict the same time, known more exactly."
        ),
        "Keep ten times as many lists, each of which holds the same number of bytes.": (
            "C predicts that the time stays. A and B both predict that it grows, for there are "
            "ten times as many objects and ten times as many bytes."
        ),
        _BEST: (
            "A predicts that the time grows and then stays, B that it grows both times, C that it "
            "stays both times. Three hypotheses, three predictions."
        ),
        "Delete everything that was kept, and look at the resident memory.": (
            "It shows what was freed and not how long a collection takes. All three agree on it."
        ),
    },
    best=_BEST,
)
