"""`int` cuts off what stands behind the point, so that every number moves towards 0. The nearest
integer is asked for."""


def quantise(x, bits):
    scale = max(abs(v) for v in x) / (2 ** (bits - 1) - 1) or 1.0
    return [int(v / scale) for v in x], scale
