"""That leaves out the parts that are not mended. They take as long as before."""

import math


def speed_up(shares, factors):
    left = 1 - sum(shares.values())
    left += sum(shares[name] / factor for name, factor in factors.items())
    return 1 / left if left else math.inf
