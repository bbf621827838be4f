"""Lab 04: one loop interpreted, compiled ahead of time, and compiled just in time."""

from hpml.base import style

# As the same variants of the loop in lab 01.
style.draw_as(
    {
        "Python": "handwritten",
        "given, in Python": "handwritten",
        "given, compiled": "numba",
        "C, -O3": "codegen",
    }
)
