"""Wrong answers to `product`: each docstring is the diagnosis."""

import numba
import numpy as np

TEN, HUNDRED = np.float32(10), np.float32(100)


@numba.njit
def adds_before_it_multiplies(x, y, out):
    """The 10 is multiplied by 100 too. If `x` is multiplied first, each sum can begin at 10."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = TEN
            for k in range(x.shape[1]):
                total += x[i, k] * y[k, j]
            out[i, j] = total * HUNDRED


@numba.njit
def never_begun(x, y, out):
    """It adds to what was in `out` before, which is not a number. Each sum needs a start: set the
    row, the block or the tile to 10 before you add to it."""
    for i in range(out.shape[0]):
        for k in range(x.shape[1]):
            for j in range(out.shape[1]):
                out[i, j] += x[i, k] * HUNDRED * y[k, j]


def not_compiled(x, y, out):
    """The result is right, but Python and NumPy compute it. `@numba.njit` in the line above `def`
    passes the function to the compiler."""
    for i in range(out.shape[0]):
        out[i] = (x[i, :, None] * y).sum(0) * HUNDRED + TEN


@numba.njit
def product_only(x, y, out):
    """It is the matrix product alone. Each number of it is multiplied by 100, and 10 is added."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(x.shape[1]):
                total += x[i, k] * y[k, j]
            out[i, j] = total


@numba.njit
def whole_tiles_of_rows(x, y, out):
    """Four rows at a time are computed, and the last one, two or three are not. They need loops of
    their own."""
    for first in range(0, out.shape[0] - 3, 4):
        for i in range(first, first + 4):
            out[i, :] = TEN
            for k in range(x.shape[1]):
                for j in range(out.shape[1]):
                    out[i, j] += x[i, k] * HUNDRED * y[k, j]


@numba.njit
def whole_tiles_of_steps(x, y, out):
    """Four products at a time are added, and the last one, two or three are not. They need a loop of
    their own."""
    for i in range(out.shape[0]):
        out[i, :] = TEN
        for first in range(0, x.shape[1] - 3, 4):
            for k in range(first, first + 4):
                for j in range(out.shape[1]):
                    out[i, j] += x[i, k] * HUNDRED * y[k, j]
