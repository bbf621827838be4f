import numba


@numba.njit
def sum2d(a):
    total = 0
    for row in a:
        for number in row:
            total += number
    return total
