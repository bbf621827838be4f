import numba


@numba.njit
def sum2d(a):
    total = 0
    for number in a.flat:
        total += number
    return total
