"""Lab 01: dynamic typing and its cost."""

from hpml.base import style

style.draw_as(
    {
        "loop over a list": "handwritten",
        "loop over an array": "lazy",
        "loop over a tensor": "compiled",
        "NumPy call": "sequential",
        "torch call": "peer",
        "C loop": "codegen",
        "Numba loop": "numba",
    }
)
