from math import comb
from operator import gt, lt


def is_faster(a, b):
    wins, losses = sum(map(lt, a, b)), sum(map(gt, a, b))
    n = wins + losses
    as_many = sum(comb(n, k) for k in range(max(wins, losses), n + 1))
    if 2 * as_many / 2**n > 0.05:
        return "cannot tell"
    return "faster" if wins > losses else "slower"
