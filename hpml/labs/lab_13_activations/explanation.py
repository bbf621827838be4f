"""Lab 13: why equal activations keep unequal memory in a network."""

from __future__ import annotations

from hpml.course.explanation import Explanation

_BEST = "Count what the three layers keep with HardSwish, which PyTorch brings along."

EXPLANATION = Explanation(
    question=(
        "Alone, FastSwish with its own backward keeps as many bytes as ReLU. Between two linear "
        "layers it keeps more. What is the additional memory?"
    ),
    claims=(
        "Its input: ReLU keeps its result, which the next layer keeps anyway. FastSwish keeps a "
        "tensor that no other layer keeps.",
        "The price of a custom function: autograd keeps a copy of the input for Python.",
        "Results in between: where the input is itself a result, autograd records the operations "
        "inside of the function as well.",
    ),
    experiments={
        "Count what the three layers keep with twice as many rows in the batch.": (
            "All three predict twice the bytes, for ReLU as for FastSwish."
        ),
        "Count what FastSwish alone keeps, with the hooks that count in section 3.": (
            "All three predict as much as ReLU alone keeps: no layer stands before or behind it."
        ),
        _BEST: (
            "A predicts as many bytes as with FastSwish, because HardSwish keeps its input too. B "
            "predicts as many as with ReLU, because it is built into PyTorch. C predicts that "
            "FastSwish keeps as much as its operations do. Three hypotheses, three predictions."
        ),
        "Measure the peak of the memory while the three layers are being trained.": (
            "All three predict a higher peak with FastSwish, and its temporaries blur by how much."
        ),
    },
    best=_BEST,
)
