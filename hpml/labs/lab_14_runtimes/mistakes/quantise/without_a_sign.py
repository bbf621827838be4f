"""With all bits for the size, half of the integers do not fit: one bit is for the sign."""


def quantise(x, bits):
    scale = max(abs(v) for v in x) / (2**bits - 1) or 1.0
    return [round(v / scale) for v in x], scale
