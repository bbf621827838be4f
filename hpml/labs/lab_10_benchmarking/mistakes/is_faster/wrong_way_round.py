"""It is the wrong way round: these are times, and the smaller one is faster. The answer is about `a`."""

from math import comb


def is_faster(a, b):
    wins = sum(x < y for x, y in zip(a, b))
    losses = sum(x > y for x, y in zip(a, b))
    n = wins + losses
    as_many = sum(comb(n, k) for k in range(max(wins, losses), n + 1))
    if 2 * as_many / 2**n > 0.05:
        return "cannot tell"
    return "faster" if wins < losses else "slower"
