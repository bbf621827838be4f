"""Wrong answers to `normalise_in_place`: each docstring is the diagnosis."""

import numpy as np


def _spread(x):
    return np.sqrt(np.dot(x, x) / len(x))


def _divided(x, spread):
    if spread > 0:
        x /= spread
    return x


def copied_back(x):
    """The numbers arrive in the array, but some line computes a whole array on the way. `x -
    x.mean()` is one, also on the right of `x[:] =`; so is `x ** 2`, and `x.std()` makes one
    inside."""
    spread = x.std()
    x[:] = (x - x.mean()) / (spread if spread > 0 else 1)
    return x


def divides_by_zero(x):
    """Where all numbers are the same, the spread is 0, and 0 / 0 is not a number. Divide only where
    there is a spread."""
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
    """The squares are divided by one less than their number, as `torch.std` does unless told
    otherwise. Here it is their mean: divide by all of them."""
    x -= x.mean()
    with np.errstate(all="ignore"):
        return _divided(x, np.sqrt(np.dot(x, x) / (len(x) - 1)))


def std(x):
    """The numbers arrive in the array, but some line computes a whole array on the way. `x -
    x.mean()` is one, also on the right of `x[:] =`; so is `x ** 2`, and `x.std()` makes one
    inside."""
    x -= x.mean()
    return _divided(x, x.std())
