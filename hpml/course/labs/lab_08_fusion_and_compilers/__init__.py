"""Lab 08: loop fusion, and the compilers that do it."""

from hpml.base import style

style.draw_as(
    {
        "three loops": "handwritten",
        "one loop": "numba",
        "three loops, C": "sequential",
        "one loop, C": "codegen",
    }
)
