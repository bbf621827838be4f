"""The kernel ladder: a matrix product, times 100, plus 10, from three loops to tiles of registers.

Each rung is a plain function of `x` (n × d), `y` (d × m) and `out` (n × m), all of float32 and
row by row in memory. `compiled` gives it to Numba. Each is right for every shape, also with axes of
length 0. A rung differs from the one before in what its docstring says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

ZERO, TEN, HUNDRED = np.float32(0), np.float32(10), np.float32(100)


def loops(x: Any, y: Any, out: Any) -> None:
    """Compute number after number, as the lecture writes it; `y` is read down its columns."""
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            total = ZERO
            for k in range(x.shape[1]):
                total += x[i, k] * y[k, j]
            out[i, j] = total
    for i in range(n):
        for j in range(m):
            out[i, j] *= HUNDRED
    for i in range(n):
        for j in range(m):
            out[i, j] += TEN


def strides(x: Any, y: Any, out: Any) -> None:
    """Copy `y` column by column first, so that the innermost loop reads neighbours only."""
    n, m = out.shape
    columns = y.T.copy()
    for i in range(n):
        for j in range(m):
            total = ZERO
            for k in range(x.shape[1]):
                total += x[i, k] * columns[j, k]
            out[i, j] = total
    for i in range(n):
        for j in range(m):
            out[i, j] *= HUNDRED
    for i in range(n):
        for j in range(m):
            out[i, j] += TEN


def order(x: Any, y: Any, out: Any) -> None:
    """Loop over j innermost: neighbouring numbers of `y` go to neighbouring sums in `out`."""
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = ZERO
        for k in range(x.shape[1]):
            for j in range(m):
                out[i, j] += x[i, k] * y[k, j]
    for i in range(n):
        for j in range(m):
            out[i, j] *= HUNDRED
    for i in range(n):
        for j in range(m):
            out[i, j] += TEN


def fused(x: Any, y: Any, out: Any) -> None:
    """Begin each sum at 10 and multiply `x` by 100 when it is read: two passes less."""
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = TEN
        for k in range(x.shape[1]):
            a = x[i, k] * HUNDRED
            for j in range(m):
                out[i, j] += a * y[k, j]


def blocks(x: Any, y: Any, out: Any) -> None:
    """Take `y` in blocks of 8 rows, which stay in the nearest cache, and 4 of them at a time."""
    n, m = out.shape
    d = x.shape[1]
    fours = d - d % 4
    out[:] = TEN
    for first in range(0, fours, 8):
        for i in range(n):
            row = out[i]
            for k in range(first, min(first + 8, fours), 4):
                y0, y1, y2, y3 = y[k], y[k + 1], y[k + 2], y[k + 3]
                a0, a1 = x[i, k] * HUNDRED, x[i, k + 1] * HUNDRED
                a2, a3 = x[i, k + 2] * HUNDRED, x[i, k + 3] * HUNDRED
                for j in range(m):
                    row[j] = row[j] + a0 * y0[j] + a1 * y1[j] + a2 * y2[j] + a3 * y3[j]
    for i in range(n):
        for k in range(fours, d):
            for j in range(m):
                out[i, j] += x[i, k] * HUNDRED * y[k, j]


def tile(x: Any, y: Any, out: Any) -> None:
    """Take 4 rows of `x` at a time too: each number of `y` that is read serves 4 sums."""
    n, m = out.shape
    d = x.shape[1]
    fours, rows = d - d % 4, n - n % 4
    out[:] = TEN
    for i in range(0, rows, 4):
        o0, o1, o2, o3 = out[i], out[i + 1], out[i + 2], out[i + 3]
        for k in range(0, fours, 4):
            y0, y1, y2, y3 = y[k], y[k + 1], y[k + 2], y[k + 3]
            a00, a01 = x[i, k] * HUNDRED, x[i, k + 1] * HUNDRED
            a02, a03 = x[i, k + 2] * HUNDRED, x[i, k + 3] * HUNDRED
            a10, a11 = x[i + 1, k] * HUNDRED, x[i + 1, k + 1] * HUNDRED
            a12, a13 = x[i + 1, k + 2] * HUNDRED, x[i + 1, k + 3] * HUNDRED
            a20, a21 = x[i + 2, k] * HUNDRED, x[i + 2, k + 1] * HUNDRED
            a22, a23 = x[i + 2, k + 2] * HUNDRED, x[i + 2, k + 3] * HUNDRED
            a30, a31 = x[i + 3, k] * HUNDRED, x[i + 3, k + 1] * HUNDRED
            a32, a33 = x[i + 3, k + 2] * HUNDRED, x[i + 3, k + 3] * HUNDRED
            for j in range(m):
                b0, b1, b2, b3 = y0[j], y1[j], y2[j], y3[j]
                o0[j] = o0[j] + a00 * b0 + a01 * b1 + a02 * b2 + a03 * b3
                o1[j] = o1[j] + a10 * b0 + a11 * b1 + a12 * b2 + a13 * b3
                o2[j] = o2[j] + a20 * b0 + a21 * b1 + a22 * b2 + a23 * b3
                o3[j] = o3[j] + a30 * b0 + a31 * b1 + a32 * b2 + a33 * b3
    for i in range(n):  # the rows and columns of x that no tile covers
        for k in range(fours if i < rows else 0, d):
            for j in range(m):
                out[i, j] += x[i, k] * HUNDRED * y[k, j]


RUNGS: tuple[Callable[[Any, Any, Any], None], ...] = (loops, strides, order, fused, blocks, tile)
"""The rungs of one thread, from the bottom."""


@functools.cache
def compiled(rung: Callable[[Any, Any, Any], None]) -> Any:
    """Return a rung compiled by Numba, with the settings of the lab's cells.

    ``contract`` allows the fused multiply-add instruction, which the compilers of C use as well. No
    other arithmetic is changed. ``nogil`` releases Python's lock, for the rung with threads.
    """
    import numba

    return numba.njit(rung, fastmath={"contract"}, nogil=True)


def reference(x: Any, y: Any, out: Any) -> None:
    """Run the rung `order`, with which a submission's time is compared."""
    compiled(order)(x, y, out)


def multiply_adds(x: Any, out: Any) -> None:
    """Do hardly anything but multiply and add: 64 operations for each number that is read."""
    for j in range(x.size):
        a = x[j]
        b, c, d, e = a, -a, a + a, HUNDRED
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        b, c, d, e = b * a + a, c * a + a, d * a + a, e * a + a
        out[j] = b + c + d + e
