"""Wrong answers to `is_faster`: each docstring is the diagnosis."""

from math import comb


def _compared(x, y):
    if x == y:
        return "cannot tell"
    return "faster" if x < y else "slower"


def _wins(a, b):
    return sum(x < y for x, y in zip(a, b, strict=True))


def _sign_test(a, b):
    wins, losses = _wins(a, b), _wins(b, a)
    n, most = wins + losses, max(wins, losses)
    p = 2 * sum(comb(n, k) for k in range(most, n + 1)) / 2**n
    return _compared(losses, wins) if p <= 0.05 else "cannot tell"


def bands_overlap(a, b):
    """Nearly every round has the same winner, but your rule cannot tell. Does it look at the two
    bands separately? If the machine drifts, both are wide and overlap."""
    if len(a) < 6:
        return "cannot tell"
    low, high = len(a) // 4, -1 - len(a) // 4
    if sorted(a)[high] < sorted(b)[low]:
        return "faster"
    return "slower" if sorted(a)[low] > sorted(b)[high] else "cannot tell"


def fixed_share(a, b):
    """It needs the same share of wins for every number of rounds. Few rounds need a larger share and
    many rounds a smaller one: compare it with the table of wins needed."""
    if len(a) < 6:
        return "cannot tell"
    wins, losses = _wins(a, b), _wins(b, a)
    return _compared(losses, wins) if max(wins, losses) >= 0.7 * len(a) else "cannot tell"


def majority(a, b):
    """It counts who wins more rounds. 14 heads in 25 coin tosses mean nothing; how many are enough?"""
    return _compared(_wins(b, a), _wins(a, b))


def mean(a, b):
    """It ignores which two times belong to one round, as a mean, a median or sorted lists do. Noise
    and a few outliers always leave some difference; how large must it be to be believed?"""
    return _compared(sum(a), sum(b))


def minimum(a, b):
    """It compares the two minima, so a single lucky sample decides."""
    return _compared(min(a), min(b))


def wrong_way_round(a, b):
    """It is the wrong way round: these are times, and the smaller one is faster. The answer is about
    `a`."""
    return _sign_test(b, a)
