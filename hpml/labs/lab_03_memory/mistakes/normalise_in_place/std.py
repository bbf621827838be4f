"""`x -= ...` and `x /= ...` allocate nothing, but `x.std()` does. It makes an array of the
differences from the mean. Where the mean is 0 you do not need it."""

import numpy as np


def normalise_in_place(x):
    x -= x.mean()
    spread = x.std()
    if spread > 0:
        x /= spread
    return x
