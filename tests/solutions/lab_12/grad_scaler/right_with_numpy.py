import numpy


def grad_scaler(scaled, scale, good, interval):
    if not numpy.isfinite(scaled).all():
        return [None, scale / 2, 0]
    good += 1
    grown = good == interval
    return [list(numpy.array(scaled) / scale), 2 * scale if grown else scale, 0 if grown else good]
