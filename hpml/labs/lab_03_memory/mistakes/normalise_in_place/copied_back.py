"""The numbers arrive in the array, but by way of new ones: `x - x.mean()` on the right of `x[:] =`
is an array as long as x."""

import numpy as np


def normalise_in_place(x):
    spread = x.std()
    x[:] = (x - x.mean()) / (spread if spread > 0 else 1)
    return x
