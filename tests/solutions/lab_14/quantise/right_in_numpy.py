import numpy as np


def quantise(x, bits):
    values = np.array(x)
    scale = np.abs(values).max() / (2 ** (bits - 1) - 1)
    if not scale:
        return [0] * len(x), 1.0
    return np.rint(values / scale).astype(np.int64).tolist(), scale
