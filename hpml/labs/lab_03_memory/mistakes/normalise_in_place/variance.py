"""The numbers were divided by the variance. Its root is the standard deviation."""

import numpy as np


def normalise_in_place(x):
    x -= x.mean()
    spread = np.dot(x, x) / len(x)
    if spread > 0:
        x /= spread
    return x
