"""The mean of the squares less the square of the mean: where both are large, the difference has lost
its digits. Subtract the mean first, then square."""

import numpy as np


def normalise_in_place(x):
    mean = x.mean()
    spread = np.sqrt(max(np.dot(x, x) / len(x) - mean * mean, 0))
    x -= mean
    if spread > 0:
        x /= spread
    return x
