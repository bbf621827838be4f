"""Wrong answers to `sum2d`: each docstring is the diagnosis."""

import numba


@numba.njit
def integers_as_floats(a):
    """The total begins as `0.0`, so it is a float whatever is added to it. The sum of integers
    should be an integer: beyond 2**53 a float cannot represent all of them."""
    result = 0.0
    for number in a.flat:
        result += number
    return result


@numba.njit
def lecture(a):
    """These are the lecture's loops, for two axes and with a float as total. The sum of integers should
    be an integer, and an array may have any number of axes."""
    rows, columns = a.shape
    result = 0.0
    for i in range(rows):
        for j in range(columns):
            result += a[i, j]
    return result


def not_compiled(a):
    """Python interprets the function, one instruction after the other. `@numba.njit` in the line above
    `def` passes it to the compiler."""
    total = 0
    for number in a.flat:
        total += number.item()
    return total


@numba.njit
def two_axes(a):
    """It is right for two axes, and fails for any other number of them. `a.flat` iterates over the
    numbers of an array of any shape."""
    total = 0
    for row in a:
        for number in row:
            total += number
    return total


@numba.njit
def reshaped(a):
    """`reshape` makes a flat view, and Numba does so only for contiguous numbers. `a.flat` iterates
    over the numbers of any array."""
    total = 0
    for number in a.reshape(a.size):
        total += number
    return total
