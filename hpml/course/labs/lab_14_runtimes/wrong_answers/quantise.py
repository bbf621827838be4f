"""Wrong answers to `quantise`: each docstring is the diagnosis."""


def _quantise(x, largest, rounding=round):
    scale = max(abs(value) for value in x) / largest or 1.0
    return [rounding(value / scale) for value in x], scale


def always_eight(x, bits):
    """Its largest integer is 127 for any number of bits. That is right for 8 bits only."""
    return _quantise(x, 127)


def cuts_off(x, bits):
    """`int` cuts off the digits after the decimal point, so every number moves towards 0. Return the
    nearest integer."""
    return _quantise(x, 2 ** (bits - 1) - 1, int)


def divides_by_zero(x, bits):
    """If all numbers are 0, the scale would be 0, and nothing can be divided by it. In that case
    return 1.0 as the scale."""
    scale = max(abs(v) for v in x) / (2 ** (bits - 1) - 1)
    return [round(v / scale) for v in x], scale


def largest_only(x, bits):
    """`max(x)` is not the number farthest from 0 if that number is negative."""
    scale = max(x) / (2 ** (bits - 1) - 1) or 1.0
    return [round(v / scale) for v in x], scale


def one_too_many(x, bits):
    """8 bits hold 128 integers below 0 and 127 above. 128 itself does not fit."""
    return _quantise(x, 2 ** (bits - 1))


def still_floats(x, bits):
    """These are rounded, but still floats. Return `int`s: integers of few bits save memory."""
    return _quantise(x, 2 ** (bits - 1) - 1, lambda value: float(round(value)))
