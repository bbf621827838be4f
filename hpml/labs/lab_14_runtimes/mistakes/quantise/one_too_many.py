"""8 bits hold 128 integers below 0 and 127 above. 128 itself does not fit."""


def quantise(x, bits):
    scale = max(abs(v) for v in x) / 2 ** (bits - 1) or 1.0
    return [round(v / scale) for v in x], scale
