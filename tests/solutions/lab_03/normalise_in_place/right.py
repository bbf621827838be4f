import numpy as np


def normalise_in_place(x):
    x -= x.mean()
    spread = np.sqrt(np.dot(x, x) / len(x))
    if spread > 0:
        x /= spread
    return x
