from math import isfinite


def grad_scaler(scaled, scale, good, interval):
    if not all(isfinite(g) for g in scaled):
        return None, scale / 2, 0
    gradients = [g / scale for g in scaled]
    good += 1
    if good == interval:
        return gradients, 2 * scale, 0
    return gradients, scale, good
