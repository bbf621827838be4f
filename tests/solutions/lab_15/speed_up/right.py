import math


def speed_up(shares, factors):
    left = 1 - sum(shares.values())
    for name, share in shares.items():
        left += share / factors.get(name, 1)
    return 1 / left if left > 1e-9 else math.inf
