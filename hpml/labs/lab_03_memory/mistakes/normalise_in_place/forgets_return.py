"""The array is right. It is to be returned as well, as PyTorch's functions with an underscore do,
so that calls can be chained."""

import numpy as np


def normalise_in_place(x):
    x -= x.mean()
    spread = np.sqrt(np.dot(x, x) / len(x))
    if spread > 0:
        x /= spread
