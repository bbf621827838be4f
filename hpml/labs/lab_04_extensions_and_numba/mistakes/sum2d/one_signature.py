"""A signature was written down. Numba compiles for it at once, and for nothing else later: other
types are refused. Leave it out, and each new type is compiled at its first call."""

import numba


@numba.njit("float64(float64[:, :])")
def sum2d(a):
    total = 0.0
    for row in a:
        for number in row:
            total += number
    return total
