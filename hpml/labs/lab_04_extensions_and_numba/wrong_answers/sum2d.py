"""Wrong answers to `sum2d`: each docstring is the diagnosis."""

import numba


@numba.njit
def lecture(a):
    """The lecture's function begins with `0.0`, so its result is a float whatever is added up.
    NumPy's sum of integers is an integer; a float has no digits left beyond 2**53."""
    rows, columns = a.shape
    result = 0.0
    for i in range(rows):
        for j in range(columns):
            result += a[i, j]
    return result


def not_compiled(a):
    """The function is Python's own still, interpreted one instruction after the other.
    `@numba.njit` in the line above `def` hands it to the compiler."""
    total = 0
    for row in a.tolist():
        for number in row:
            total += number
    return total


@numba.njit("float64(float64[:, :])")
def one_signature(a):
    """A signature was written down. Numba compiles for it at once, and for nothing else later:
    other types are refused. Leave it out, and each new type is compiled at its first call."""
    total = 0.0
    for row in a:
        for number in row:
            total += number
    return total


@numba.njit
def reshaped(a):
    """`reshape` makes a flat view, and there is one only of an array whose numbers lie one behind
    the other. Go through rows and columns instead."""
    total = 0
    for number in a.reshape(a.size):
        total += number
    return total


@numba.njit
def type_of_the_array(a):
    """The total has the type of the array. A `float32` has 24 binary digits: added to 2**24, a 1
    disappears. Add up in `float64`."""
    total = a.dtype.type(0)
    for row in a:
        for number in row:
            total += number
    return total
