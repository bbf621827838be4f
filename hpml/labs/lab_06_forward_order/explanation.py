"""Lab 06: why the lazy forward takes longer, though it executes the same layers."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Make the network ten times as deep; then, instead, its values 256 times as large."

EXPLANATION = Explanation(
    question=(
        "Lazy and ordered execute the same layers in the same order. Suppose that the lazy "
        "forward takes longer, by some extra time for each node. What is that time spent on? Each "
        "experiment looks at this extra time per node."
    ),
    claims=(
        "Asking: the same few Python calls and list operations for every node.",
        "Remembering: the more values the dictionary and the stack hold, the longer each step.",
        "Memory: values are kept alive longer, so new ones must be fetched from the system.",
    ),
    experiments={
        "Measure both forwards again, but with four times as many rounds as before.": (
            "All three predict the same extra time, known more exactly. It would only rule out "
            "chance, which is not one of the claims."
        ),
        "Make the network ten times as deep, and then a hundred times as deep as before.": (
            "B predicts that the extra time per node grows. A and C predict that it stays, so they "
            "remain together."
        ),
        _BEST: (
            "A predicts that the extra time per node stays in both, B that it grows with the "
            "depth, C that it grows with the size of the values. Three hypotheses, three "
            "predictions."
        ),
        "Count the Python calls of both forwards, for each layer, in a deeper network.": (
            "The lazy forward makes more of them, as section 5 has shown. B and C do not deny it; "
            "they say that the time goes elsewhere."
        ),
    },
    best=_BEST,
)
