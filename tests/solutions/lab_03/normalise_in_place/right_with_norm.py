import numpy as np


def normalise_in_place(x):
    np.subtract(x, x.mean(), out=x)
    length = np.linalg.norm(x)
    if length:
        np.multiply(x, np.sqrt(len(x)) / length, out=x)
    return x
