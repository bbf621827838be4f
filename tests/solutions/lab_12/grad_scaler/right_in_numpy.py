import numpy as np


def grad_scaler(scaled, scale, good, interval):
    gradients = np.array(scaled, dtype=float)
    if not np.isfinite(gradients).all():
        return [None, 0.5 * scale, 0]
    good = (good + 1) % interval
    return tuple((gradients / scale).tolist()), scale * (1 if good else 2), good
