"""Generate the source of a kernel: a loop over a table of steps, with one branch for each kind.

Steps of one kind share source, so compiling takes the same time for 4,000 layers as for 250.
Indices are unsigned (``U`` is ``numpy.uintp``), because Numba checks whether a signed index is
negative, which would take more than half of the time.
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

    In the source of a kind, ``a`` and ``c`` are the offsets of the arguments, ``r`` of the result,
    and ``q`` of the constants with the tensors after them; ``b`` is the batch size, ``p0``, … are
    the numbers, and ``U`` converts to an index.
    """

    kind: str  # the source
    arguments: tuple[int, ...]  # the values that it reads, at most two
    result: int  # the value that it writes
    numbers: tuple[int, ...] = ()  # unsigned, at most three
    constants: tuple[float, ...] = ()  # of the dtype of the values
    # Names and shapes of the layer's parameters; an absent one is read as zeros. A matrix is stored
    # transposed, for contiguous access in the inner loop.
    tensors: tuple[tuple[str, tuple[int, ...]], ...] = ()


NUMBERS = 3
"""The largest count of numbers of a step."""


def elementwise(expression: str, constants: int = 0) -> str:
    """Return the kind for an expression of ``u``, the argument, and ``z``, a second argument.

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


_MAX_UNROLLED = 16


def linear(inputs: int, outputs: int) -> str:
    """Return the kind of a linear layer; small ones are unrolled, with the sums in registers."""
    if max(inputs, outputs) > _MAX_UNROLLED:
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
    """Return the source of a kernel for these kinds of steps."""
    parts = [_HEAD]
    parts += [f"        p{i} = steps[s, {5 + i}]\n" for i in range(NUMBERS)]
    for number, kind in enumerate(kinds):
        parts.append(f"        {'if' if number == 0 else 'elif'} kind == {number}:\n")
        parts.append(textwrap.indent(kind, " " * 12))
    return "".join(parts)


@functools.lru_cache(maxsize=64)
def compile_kernel(source: str) -> Callable[..., None]:
    """Return the kernel of a source, which Numba compiles at the first call with each dtype."""
    import numba

    names: dict[str, Any] = {"math": math, "U": np.uintp}
    exec(compile(source, "<kernel of a symbolic model>", "exec"), names)
    # Without error_model="numpy" every division checks for zero.
    return numba.njit(nogil=True, error_model="numpy")(names["kernel"])


@functools.cache
def transposer() -> Callable[..., None]:
    """Return the function that copies matrices, transposed, to offsets in an array."""
    import numba

    @numba.njit(nogil=True)
    def transpose(matrices: Any, offsets: Any, target: Any) -> None:
        for m in range(matrices.shape[0]):
            rows = matrices.shape[1]
            for i in range(matrices.shape[2]):
                for j in range(rows):
                    target[offsets[m] + i * rows + j] = matrices[m, j, i]

    return transpose
