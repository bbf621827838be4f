"""One function for a whole graph: a loop over the table of steps, a branch for each kind of step.

Source is written out a kind, not a step, and Numba compiles it for the dtype that it first meets.
Indices are unsigned (``U`` is ``numpy.uintp``): Numba takes a negative index to count from the end,
and asks for each signed one whether it is negative, which would take more than half of the time.
"""

from __future__ import annotations

import functools
import math
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .steps import NUMBERS

_HEAD = """\
def kernel(b, steps, w, v):
    for s in range(steps.shape[0]):
        kind = steps[s, 0]
        r = steps[s, 1] * b
        a = steps[s, 2] * b
        c = steps[s, 3] * b
        q = steps[s, 4]
"""


def kernel_source(kinds: Iterable[str]) -> str:
    """Return the source of the kernel that knows these kinds of steps.

    >>> from .steps import elementwise
    >>> print(kernel_source([elementwise("-u")]).partition("p5")[2])
     = steps[s, 10]
            if kind == 0:
                for k in range(b * p0):
                    u = v[a + k]
                    v[r + k] = -u
    <BLANKLINE>
    """
    parts = [_HEAD]
    parts += [f"        p{i} = steps[s, {5 + i}]\n" for i in range(NUMBERS)]
    for number, kind in enumerate(kinds):
        parts.append(f"        {'if' if number == 0 else 'elif'} kind == {number}:\n")
        parts.append(textwrap.indent(kind, " " * 12))
    return "".join(parts)


@functools.lru_cache(maxsize=64)
def compile_kernel(source: str) -> Callable[..., None]:
    """Return the kernel of a source, which Numba compiles when it is first called with a dtype.

    Models that differ in their weights and their order of layers alone share it.
    """
    import numba

    names: dict[str, Any] = {"math": math, "U": np.uintp}
    exec(compile(source, "<kernel of a symbolic model>", "exec"), names)
    # Without error_model="numpy" every division asks first whether it divides by zero.
    return numba.njit(nogil=True, error_model="numpy")(names["kernel"])


@functools.cache
def transposer() -> Callable[..., None]:
    """Return the function that copies matrices transposed to their places, one after the other."""
    import numba

    @numba.njit(nogil=True)
    def transpose(matrices: Any, places: Any, target: Any) -> None:
        columns = matrices.shape[1]
        for m in range(places.shape[0]):
            first, rows, place = places[m, 0], places[m, 1], places[m, 2]
            for i in range(columns):
                for j in range(rows):
                    target[place + i * rows + j] = matrices[first + j, i]

    return transpose
