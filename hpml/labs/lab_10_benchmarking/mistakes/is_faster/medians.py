"""It believes a difference of two medians from some percent on, however much the quotients scatter. With six rounds
chance makes such a difference, with a hundred it does not."""

import statistics


def is_faster(a, b):
    quotient = statistics.median(a) / statistics.median(b)
    if len(a) < 6 or abs(quotient - 1) < 0.01:
        return "cannot tell"
    return "faster" if quotient < 1 else "slower"
