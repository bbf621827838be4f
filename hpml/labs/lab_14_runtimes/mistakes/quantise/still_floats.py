"""These are rounded, and still floats. Integers of few bits are what saves memory: `int`."""


def quantise(x, bits):
    scale = max(abs(v) for v in x) / (2 ** (bits - 1) - 1) or 1.0
    return [float(round(v / scale)) for v in x], scale
