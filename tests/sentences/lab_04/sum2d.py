import numba
import numpy as np

SAYS = {
    "One point is for these layouts and for arrays with one axis": "how the points are divided",
    "For example, `sum2d(np.arange(9).reshape(3, 3))` is 36.": "an example, which is a case",
}


def _njit(function):
    """Compile, and keep the name and the sentence."""
    return numba.njit(function)


@_njit
def _sum(a):
    total = 0
    for number in a.flat:
        total += number
    return total


def interpreted(a):
    """Write `sum2d(a)` for Numba: `sum2d` itself must be what `numba.njit` returns."""
    total = 0
    for number in a.flat:
        total += number.item()
    return total


def calls_a_compiled_one(a):
    """`sum2d` itself must be what `numba.njit` returns."""
    return _sum(a)


@_njit
def two_axes(a):
    """`a` is an array with any number of axes, at least one, and each may have length 0."""
    total = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


@_njit
def at_most_four_axes(a):
    """`a` is an array with any number of axes, at least one"""
    total = 0
    if a.ndim <= 4:
        for number in a.flat:
            total += number
    return total


@_njit
def at_least_one_number(a):
    """at least one, and each may have length 0."""
    return a.flat[0] + _sum(a.ravel()[1:])


@_njit
def without_the_last(a):
    """It returns the sum of all numbers."""
    return _sum(a.ravel()[:-1])


@_njit
def sum_of_sizes(a):
    """It returns the sum of all numbers."""
    total = 0
    for number in a.flat:
        total += abs(number)
    return total


@_njit
def in_float32(a):
    """For `float64` and `float32` the sum is a `float`, added up in `float64`"""
    total = a.dtype.type(0)
    for number in a.flat:
        total = a.dtype.type(total + number)
    return total


@_njit
def small_sums_are_zero(a):
    """For `float64` and `float32` the sum is a `float`"""
    total = _sum(a)
    return total if abs(total) > 1e-200 else total * 0


@_njit
def floats_to_whole_numbers(a):
    """For `float64` and `float32` the sum is a `float`"""
    return round(_sum(a))


@_njit
def empty_is_nan(a):
    """the empty sum is 0.0."""
    return _sum(a) if a.size else _sum(a) / 0.0


@_njit
def always_float(a):
    """For `int64`, `int32` and `bool` it is an `int`, exact within `int64`; the empty sum is 0."""
    total = 0.0
    for number in a.flat:
        total += number
    return total


@_njit
def exact_up_to_2_53(a):
    """it is an `int`, exact within `int64`"""
    total = 0.0
    for number in a.flat:
        total += number
    return _sum(a) * 0 + (int(total) if a.dtype != np.float64 and a.dtype != np.float32 else total)


@_njit
def in_its_own_type(a):
    """it is an `int`, exact within `int64`"""
    total = np.zeros(1, a.dtype)
    for number in a.flat:
        total[0] += number
    return total[0]


@_njit
def contiguous_only(a):
    """The numbers may be in any order in memory: transposed, backwards, every second one,
    read-only."""
    total = 0
    for number in a.reshape(a.size):
        total += number
    return total


@_njit
def changes_it_on_the_way(a):
    """every second one, read-only."""
    flat = a.reshape(-1) if a.ndim == 1 else a.ravel()
    total = 0
    if a.ndim == 2 and a.size:
        a[0, 0] += 0
    for number in flat:
        total += number
    return total


@_njit
def forbidden_sum_of_numpy(a):
    """Write the loops yourself."""
    return np.sum(a)


@_njit
def forbidden_method(a):
    """It may not use `sum`"""
    return a.sum()


def _looped(a):
    total = 0
    for number in a.flat:
        total += number
    return total


def forbidden_cache(a):
    """It may not use `sum`"""
    return numba.njit(cache=True)(_looped)(a)


def forbidden_cumulative_sum(a):
    """It may not use `sum`"""
    return np.cumsum(a)[-1]


def forbidden_mean(a):
    """It may not use `sum`"""
    return a.mean() * a.size
