"""The source of a kernel: steps, each a few lines written once a kind, in one loop over a table.

Source is written out a kind, not a step, so compiling takes as long for 4,000 layers as for 250;
what differs between two steps of a kind is in a table. Numba compiles it for each dtype it meets.
Indices are unsigned (``U`` is ``numpy.uintp``): Numba takes a negative index to count from the end,
and asks for each signed one whether it is negative, which would take more than half of the time.
"""

from __future__ import annotations

import functools
import math
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np


class Step(NamedTuple):
    """One step of the kernel.

    Attributes:
        kind: the source; ``a`` and ``c`` are where its arguments begin, ``r`` where its result
            begins, ``q`` where its constants begin, followed by its tensors, ``b`` the batch size,
            ``p0`` and so on its numbers. ``U`` makes a number an index.
        arguments: the values it reads, at most two.
        result: the value it writes.
        numbers: at most three.
        constants: numbers of the values' own dtype.
        tensors: the parameters of its layer that it reads, and their shapes; zeros for one that the
            layer does not have. A matrix is packed transposed, so that the inner loop reads
            neighbours.
    """

    kind: str
    arguments: tuple[int, ...]
    result: int
    numbers: tuple[int, ...] = ()
    constants: tuple[float, ...] = ()
    tensors: tuple[tuple[str, tuple[int, ...]], ...] = ()


NUMBERS = 3
"""The most numbers that a step has."""


def elementwise(expression: str, constants: int = 0) -> str:
    """Return the kind that computes an expression of ``u``, and ``z`` of a second argument.

    >>> print(elementwise("u + z"))
    for k in range(b * p0):
        u = v[a + k]
        z = v[c + k]
        v[r + k] = u + z
    <BLANKLINE>
    """
    lines = [f"k{i} = w[q + U({i})]" for i in range(constants)]
    lines += ["for k in range(b * p0):", "    u = v[a + k]"]
    if "z" in expression:
        lines.append("    z = v[c + k]")
    lines.append(f"    v[r + k] = {expression}")
    return "\n".join(lines) + "\n"


_UNROLLED = 16


def linear(inputs: int, outputs: int) -> str:
    """Return the kind of a linear layer: bias first, then each input times its row of weights.

    A small one is written for its sizes, with the sums in registers; larger ones share a kind.
    """
    if max(inputs, outputs) > _UNROLLED:
        return _WIDE_LINEAR
    sums = range(outputs)
    return "\n".join(
        [
            "for n in range(b * p0):",
            f"    x = a + n * U({inputs})",
            f"    y = r + n * U({outputs})",
            *[f"    s{j} = w[q + U({j})]" for j in sums],
            f"    for i in range(U({inputs})):",
            "        u = v[x + i]",
            f"        t = q + U({outputs}) + i * U({outputs})",
            *[f"        s{j} += u * w[t + U({j})]" for j in sums],
            *[f"    v[y + U({j})] = s{j}" for j in sums],
            "",
        ]
    )


_WIDE_LINEAR = """\
for n in range(b * p0):
    x = a + n * p1
    y = r + n * p2
    for j in range(p2):
        v[y + j] = w[q + j]
    for i in range(p1):
        u = v[x + i]
        t = q + p2 + i * p2
        for j in range(p2):
            v[y + j] += u * w[t + j]
"""

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

    >>> print(kernel_source([elementwise("-u")]).partition("p2")[2])
     = steps[s, 7]
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
        for m in range(matrices.shape[0]):
            rows = matrices.shape[1]
            for i in range(matrices.shape[2]):
                for j in range(rows):
                    target[places[m] + i * rows + j] = matrices[m, j, i]

    return transpose
