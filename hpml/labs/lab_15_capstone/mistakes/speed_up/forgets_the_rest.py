"""The shares need not sum up to 1. What belongs to none of them takes as long as before."""

import math


def speed_up(shares, factors):
    left = sum(share / factors.get(name, 1) for name, share in shares.items())
    return 1 / left if left else math.inf
