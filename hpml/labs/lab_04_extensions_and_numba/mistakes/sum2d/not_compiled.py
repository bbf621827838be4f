"""The function is Python's own still, interpreted one instruction after the other. `@numba.njit` in
the line above `def` hands it to the compiler."""


def sum2d(a):
    total = 0
    for row in a.tolist():
        for number in row:
            total += number
    return total
