import numpy as np


def normalise_in_place(x):
    if x.min() == x.max():
        x[:] = 0.0
        return x
    x -= np.mean(x)
    total = 0.0
    for start in range(0, len(x), 1000):
        block = x[start : start + 1000]
        total += float((block * block).sum())
    x *= (len(x) / total) ** 0.5
    return x
