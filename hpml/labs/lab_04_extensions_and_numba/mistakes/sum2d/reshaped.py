"""`reshape` makes a flat view, and there is one only of an array whose numbers lie one behind the
other. Go through rows and columns instead."""

import numba


@numba.njit
def sum2d(a):
    total = 0
    for number in a.reshape(a.size):
        total += number
    return total
