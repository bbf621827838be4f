import numba
import numpy as np

SAYS = {
    "All three are `float32`": "a promise: no other arrays are tried",
    "The check runs your function in Python too": "what the check does; the tests of the lab try it",
    "In grading, your kernel and the rung `order` run in turn.": "how the time is measured",
    "The steps are meant for kernels like `tile` (3 points), `blocks` (2) and `order` (1).": (
        "why the limits are these"
    ),
}
EQUIVALENT = {
    "10: n % 4 → n": "no row is in a tile: the loops for the rest do all",
    "10: n - n % 4 → n % 4 - n": "no row is in a tile: the loops for the rest do all",
    "10: d % 4 → d": "no step is in a tile: the loops for the rest do all",
}
HUNDRED, TEN = np.float32(100), np.float32(10)


@numba.njit
def _rows(x, y, out, hundred, ten):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = ten
        for k in range(x.shape[1]):
            for j in range(out.shape[1]):
                out[i, j] += hundred * x[i, k] * y[k, j]


def interpreted(x, y, out):
    """it must itself be what `numba.njit` returns."""
    out[:] = (x[:, :, None] * y[None]).sum(1) * HUNDRED + TEN


def calls_a_compiled_one(x, y, out):
    """it must itself be what `numba.njit` returns."""
    _rows(x, y, out, HUNDRED, TEN)


@numba.njit
def times_99(x, y, out):
    """It writes the matrix product of `x` and `y`, times 100, plus 10, into `out`."""
    _rows(x, y, out, np.float32(99), TEN)


@numba.njit
def without_10(x, y, out):
    """It writes the matrix product of `x` and `y`, times 100, plus 10, into `out`."""
    _rows(x, y, out, HUNDRED, np.float32(0))


@numba.njit
def ten_for_each_product(x, y, out):
    """It writes the matrix product of `x` and `y`, times 100, plus 10, into `out`."""
    out[:] = 0
    for i in range(out.shape[0]):
        for k in range(x.shape[1]):
            for j in range(out.shape[1]):
                out[i, j] += HUNDRED * x[i, k] * y[k, j] + TEN


@numba.njit
def returns_it(x, y, out):
    """times 100, plus 10, into `out`."""
    found = np.empty_like(out)
    _rows(x, y, found, HUNDRED, TEN)
    return found


@numba.njit
def as_many_columns_as_steps(x, y, out):
    """The shapes may be any that fit, also with axes of length 0."""
    m = min(x.shape[1], out.shape[1])
    _rows(x, y[:, :m], out[:, :m], HUNDRED, TEN)


@numba.njit
def as_many_rows_as_columns(x, y, out):
    """The shapes may be any that fit, also with axes of length 0."""
    n = min(out.shape)
    _rows(x[:n], y, out[:n], HUNDRED, TEN)


@numba.njit
def pairs_of_rows(x, y, out):
    """The shapes may be any that fit"""
    n = out.shape[0] - out.shape[0] % 2
    _rows(x[:n], y, out[:n], HUNDRED, TEN)


@numba.njit
def four_steps_at_a_time(x, y, out):
    """The shapes may be any that fit"""
    d = x.shape[1] - x.shape[1] % 4
    _rows(x[:, :d], y[:d], out, HUNDRED, TEN)


@numba.njit
def eight_columns_at_a_time(x, y, out):
    """The shapes may be any that fit"""
    m = out.shape[1] - out.shape[1] % 8
    _rows(x, y[:, :m], out[:, :m], HUNDRED, TEN)


@numba.njit
def one_block_of_32(x, y, out):
    """The shapes may be any that fit"""
    _rows(x[:, :32], y[:32], out, HUNDRED, TEN)


@numba.njit
def nothing_to_add_up_is_left_out(x, y, out):
    """also with axes of length 0"""
    if x.shape[1] > 0:
        _rows(x, y, out, HUNDRED, TEN)


@numba.njit
def one_step_at_least(x, y, out):
    """also with axes of length 0"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = x[i, 0] * y[0, j]
            for k in range(1, x.shape[1]):
                total += x[i, k] * y[k, j]
            out[i, j] = HUNDRED * total + TEN


@numba.njit
def adds_to_what_was_there(x, y, out):
    """`out` has no numbers yet"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(x.shape[1]):
                out[i, j] += HUNDRED * x[i, k] * y[k, j]
            out[i, j] += TEN


@numba.njit
def multiplies_x_in_place(x, y, out):
    """`x` and `y` must stay as they are."""
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            x[i, k] *= HUNDRED
    _rows(x, y, out, np.float32(1), TEN)


@numba.njit
def clears_y(x, y, out):
    """`x` and `y` must stay as they are."""
    _rows(x, y, out, HUNDRED, TEN)
    y[:] = 0


@numba.njit
def with_the_operator(x, y, out):
    """Write the loops yourself, without `@`, and for one thread."""
    out[:] = x @ y * HUNDRED + TEN


@numba.njit
def _by_operator(x, y):
    return x @ y


@numba.njit
def with_the_operator_in_a_helper(x, y, out):
    """Write the loops yourself, without `@`, and for one thread."""
    out[:] = _by_operator(x, y) * HUNDRED + TEN


@numba.njit
def forbidden_dot(x, y, out):
    """Write the loops yourself, without `@`, and for one thread."""
    out[:] = np.dot(x, y) * HUNDRED + TEN


@numba.njit(parallel=True)
def forbidden_parallel(x, y, out):
    """Write the loops yourself, without `@`, and for one thread."""
    _rows(x, y, out, HUNDRED, TEN)


@numba.njit
def slow_loops(x, y, out):
    """3 points are for speed, measured in grading"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for k in range(x.shape[1]):
                total += x[i, k] * y[k, j]
            out[i, j] = total * HUNDRED + TEN


@numba.njit
def slow_order(x, y, out):
    """all at up to 0.55 times the time of the rung `order`"""
    _rows(x, y, out, HUNDRED, TEN)
