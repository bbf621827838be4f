"""The lecture's function begins with `0.0`, so its result is a float whatever is added up. NumPy's
sum of integers is an integer; a float has no digits left beyond 2**53."""

import numba


@numba.njit
def sum2d(a):
    rows, columns = a.shape
    result = 0.0
    for i in range(rows):
        for j in range(columns):
            result += a[i, j]
    return result
