"""It returns how many integers a float is: 1 divided by the scale. float = scale × integer."""


def quantise(x, bits):
    scale = max(abs(value) for value in x) / (2 ** (bits - 1) - 1) or 1.0
    return [round(value / scale) for value in x], 1 / scale
