import numpy as np

SAYS = {
    "Write `normalise_in_place(x)` for a one-dimensional array": "the argument; one number is a case",
    "A number other than 0 has a size from 1e-90 to 1e90.": "a range of the argument; both ends are cases",
    "For `x = np.array([1.0, 3.0])`, `x` becomes `[-1.0, 1.0]`.": "an example",
}


def _scaled(x, spread):
    if spread > 0:
        x /= spread
    return x


def _spread(x):
    return np.sqrt(np.dot(x, x) / len(x))


def mean_of_the_middle(x):
    """It changes `x` so that its mean is 0"""
    x -= (x.min() + x.max()) / 2
    return _scaled(x, _spread(x))


def mean_left(x):
    """It changes `x` so that its mean is 0"""
    mean = x.mean()
    x -= mean
    _scaled(x, _spread(x))
    if abs(mean) < 1e-20:
        x += mean
        x += 1e-3
    return x


def a_copy_if_there_are_gaps(x):
    """It changes `x` so that its mean is 0"""
    given, x = x, np.ascontiguousarray(x)
    x -= x.mean()
    _scaled(x, _spread(x))
    return given


def of_one_less(x):
    """its standard deviation is 1, and returns `x` itself."""
    x -= x.mean()
    return _scaled(x, np.sqrt(np.dot(x, x) / max(1, len(x) - 1)))


def variance(x):
    """its standard deviation is 1, and returns `x` itself."""
    x -= x.mean()
    return _scaled(x, np.dot(x, x) / len(x))


def spread_below_a_billionth_of_the_size(x):
    """its standard deviation is 1, and returns `x` itself."""
    mean = x.mean()
    x -= mean
    spread = _spread(x)
    return _scaled(x, spread if spread > 1e-9 * abs(mean) else 0)


def small_spread(x):
    """its standard deviation is 1, and returns `x` itself."""
    x -= x.mean()
    spread = _spread(x)
    return _scaled(x, spread if spread > 1e-12 else 0)


def with_an_epsilon(x):
    """its standard deviation is 1, and returns `x` itself."""
    x -= x.mean()
    x /= _spread(x) + 1e-8
    return x


def from_the_largest(x):
    """its standard deviation is 1, and returns `x` itself."""
    x -= x.mean()
    return _scaled(x, max(abs(x.min()), abs(x.max())))


def only_the_first_thousand(x):
    """It changes `x` so that its mean is 0"""
    few = x[:1000]
    few -= few.mean()
    _scaled(few, _spread(few))
    return x


def returns_a_copy(x):
    """and returns `x` itself."""
    x -= x.mean()
    return _scaled(x, _spread(x))[:]


def returns_nothing(x):
    """and returns `x` itself."""
    x -= x.mean()
    _scaled(x, _spread(x))


def changes_a_copy(x):
    """It changes `x` so that its mean is 0"""
    y = x - x.mean()
    return _scaled(y, _spread(y))


def divides_by_zero(x):
    """Numbers that are all equal become 0; in the check these are integers."""
    x -= x.mean()
    with np.errstate(all="ignore"):
        x /= _spread(x)
    return x


def equal_numbers_stay(x):
    """Numbers that are all equal become 0; in the check these are integers."""
    if x.min() == x.max():
        return x
    x -= x.mean()
    return _scaled(x, _spread(x))


def equal_numbers_become_one(x):
    """Numbers that are all equal become 0; in the check these are integers."""
    if x.min() == x.max():
        x[:] = 1
        return x
    x -= x.mean()
    return _scaled(x, _spread(x))


def temporary_for_the_mean(x):
    """Its peak is at most 32 KiB, however long `x` is."""
    x[:] = x - x.mean()
    return _scaled(x, _spread(x))


def temporary_for_the_squares(x):
    """Its peak is at most 32 KiB, however long `x` is."""
    x -= x.mean()
    return _scaled(x, np.sqrt((x * x).mean()))


def temporary_if_it_is_short(x):
    """Its peak is at most 32 KiB, however long `x` is."""
    x -= x.mean()
    return _scaled(x, x.std() if len(x) < 50_000 else _spread(x))


def blocks_that_grow(x):
    """Its peak is at most 32 KiB, however long `x` is."""
    x -= x.mean()
    size = max(1, len(x) // 30)
    total = sum((x[i : i + size] ** 2).sum() for i in range(0, len(x), size))
    return _scaled(x, np.sqrt(total / len(x)))


_kept = {}


def memory_kept_from_call_to_call(x):
    """Its peak is at most 32 KiB, however long `x` is."""
    buffer = _kept.setdefault(len(x), np.empty(len(x)))
    np.subtract(x, x.mean(), out=buffer)
    x[:] = buffer
    return _scaled(x, _spread(x))
