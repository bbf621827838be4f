"""Alone, each part would bring that. But a share is of the old time: add up what is left of all parts, once."""

import math


def speed_up(shares, factors):
    gains = 1.0
    for name, factor in factors.items():
        left = 1 - shares[name] + shares[name] / factor
        gains *= 1 / left if left else math.inf
    return gains
