"""The total has the type of the array. A `float32` has 24 binary digits: added to 2**24, a 1
disappears. Add up in `float64`."""

import numba


@numba.njit
def sum2d(a):
    total = a.dtype.type(0)
    for row in a:
        for number in row:
            total += number
    return total
