"""Wrong answers to `normalise_in_place`: each docstring is the diagnosis."""

import numpy as np


def _spread(x):
    return np.sqrt(np.dot(x, x) / len(x))


def _divided(x, spread):
    if spread > 0:
        x /= spread
    return x


def divides_by_zero(x):
    """Where all numbers are the same, the standard deviation is 0, and 0 / 0 is not a number.
    Divide only if it is not 0."""
    x -= x.mean()
    with np.errstate(all="ignore"):
        x /= _spread(x)
    return x


def forgets_return(x):
    """The array is right. Return it as well, as PyTorch's functions with an underscore do, so
    that calls can be chained."""
    x -= x.mean()
    _divided(x, _spread(x))


def new_array(x):
    """`x = x - ...` makes a new array and lets go of the one that was given. The caller's array
    stays as it was. `x -= ...` changes the array itself."""
    x = x - x.mean()
    return _divided(x, _spread(x))


def sample(x):
    """You divide the sum of the squares by one less than their number, as `torch.std` does by
    default. Here divide it by their number."""
    x -= x.mean()
    with np.errstate(all="ignore"):
        return _divided(x, np.sqrt(np.dot(x, x) / (len(x) - 1)))


def std(x):
    """The numbers in the array are right, but some line makes a whole new array on the way. `x -
    x.mean()` makes one, even on the right of `x[:] =`; so does `x ** 2`, and so does `x.std()`
    internally."""
    x -= x.mean()
    return _divided(x, x.std())
