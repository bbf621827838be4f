"""Wrong answers to `is_faster`: each docstring is the diagnosis."""

import statistics
from math import comb


def _compared(x, y):
    if x == y:
        return "cannot tell"
    return "faster" if x < y else "slower"


def _sign_test(a, b, decides=lambda p, most, n: p <= 0.05):
    wins = sum(x < y for x, y in zip(a, b, strict=True))
    losses = sum(x > y for x, y in zip(a, b, strict=True))
    n, most = wins + losses, max(wins, losses)
    p = 2 * sum(comb(n, k) for k in range(most, n + 1)) / 2**n
    return _compared(losses, wins) if decides(p, most, n) else "cannot tell"


def bands_overlap(a, b):
    """Nearly every round has the same winner, and it cannot tell. Does it look at the two bands
    separately? Where the machine drifts both are wide, and overlap."""
    if len(a) < 6:
        return "cannot tell"
    low, high = len(a) // 4, -1 - len(a) // 4
    if sorted(a)[high] < sorted(b)[low]:
        return "faster"
    return "slower" if sorted(a)[low] > sorted(b)[high] else "cannot tell"


def decides_at_once(a, b):
    """Fewer than six rounds do not decide: with five, two equal programs agree in all of them once in
    sixteen times."""
    return _sign_test(a, b, lambda p, most, n: p <= 0.3)


def fixed_share(a, b):
    """It asks for the same share of wins, whatever the number of rounds. Five of six happen by chance
    once in five times; 80 of 120 hardly ever."""
    return _sign_test(a, b, lambda p, most, n: len(a) >= 6 and most >= 0.72 * len(a))


def in_microseconds(a, b):
    """It treats a small difference as none, in whatever unit the times are. In seconds a microsecond is
    1e-6, and it may be all there is: look at ratios, or at who wins."""
    return "cannot tell" if abs(sum(a) - sum(b)) < 1 else _sign_test(a, b)


def majority(a, b):
    """It counts who wins more rounds. Of 25 coin tosses 14 heads say nothing; how many do?"""
    return _sign_test(a, b, lambda p, most, n: True)


def mean(a, b):
    """It compares one number of each side, a mean or a median. Noise and a few outliers move it, and
    there is always some difference; how large must it be to be believed?"""
    return _compared(sum(a), sum(b))


def medians(a, b):
    """It believes a difference of two medians from some percentage on, however much the ratios vary.
    With six rounds such a difference happens by chance, with a hundred it does not."""
    ratio = statistics.median(a) / statistics.median(b)
    return _compared(1 if len(a) < 6 or abs(ratio - 1) < 0.01 else ratio, 1)


def minimum(a, b):
    """It compares the two minima, and so one sample of each. A single lucky sample decides; and there
    is no `cannot tell`."""
    return _compared(min(a), min(b))


def pairs_sorted(a, b):
    """It concludes more than the rounds do. Are the times sorted before they are paired, or only their
    medians compared? Sample k of both came from round k."""
    return _sign_test(sorted(a), sorted(b))


def wrong_way_round(a, b):
    """It is the wrong way round: these are times, and the smaller one is faster. The answer is about
    `a`."""
    return _sign_test(b, a)
