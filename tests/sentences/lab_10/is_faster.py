import math
import statistics
from math import comb

SAYS: dict[str, str] = {
    "Write `is_faster(a, b)`.": "the name and the parameters, as in the stub",
    "On the check's samples, these agree.": "a promise; sound rules of five kinds are tried",
    "For `[5, 6, 5, 6, 5, 6]` and `[7, 9, 8, 8, 7, 9]`": "an example, which is a case",
}

EQUIVALENT: dict[str, str] = {
    "8: 1 → 2": "there is no way to win n + 1 of n rounds",
    "9: 2 * as_many / 2 ** n > 0.05 → 2 * as_many / 2 ** n >= 0.05": "a multiple of a power of two is never 0.05",
    "9: 2 → 3": "one false verdict in thirty: a rule that is right about as often",
    "9: 0.05 → 0.050050001": "no number of rounds has a probability between the two",
    "11: wins > losses → wins >= losses": "with as many wins as losses it cannot tell",
}


def _counts(a, b):
    wins = sum(x < y for x, y in zip(a, b, strict=True))
    return wins, sum(x > y for x, y in zip(a, b, strict=True))


def _risk(n, most, sides=2):
    return sides * sum(comb(n, k) for k in range(most, n + 1)) / 2**n


def _answer(wins, losses, limit=0.05, sides=2):
    if _risk(wins + losses, max(wins, losses), sides) > limit:
        return "cannot tell"
    return "faster" if wins > losses else "slower"


def unpaired(a, b):
    """`a[k]` and `b[k]` are from the same round"""
    return _answer(*_counts(sorted(a), sorted(b)))


def reversed_order(a, b):
    """`a[k]` and `b[k]` are from the same round"""
    return _answer(*_counts(a, b[::-1]))


def by_the_bands(a, b):
    """`a[k]` and `b[k]` are from the same round"""
    if len(a) < 6:
        return "cannot tell"
    low, _, high = statistics.quantiles(a, n=4)
    other_low, _, other_high = statistics.quantiles(b, n=4)
    if high < other_low:
        return "faster"
    return "slower" if low > other_high else "cannot tell"


def floats_only(a, b):
    """`a` and `b` are lists of times"""
    wins = sum(map(float.__lt__, a, b))
    return _answer(wins, sum(map(float.__gt__, a, b)))


def sorts_the_lists(a, b):
    """`a` and `b` are lists of times"""
    found = _answer(*_counts(a, b))
    a.sort()
    return found


def the_other_way_round(a, b):
    """It returns `"faster"` if `a` takes less time"""
    return _answer(*_counts(b, a))


def never_slower(a, b):
    """It returns `"faster"` if `a` takes less time"""
    found = _answer(*_counts(a, b))
    return "cannot tell" if found == "slower" else found


def capital_letters(a, b):
    """It returns `"faster"` if `a` takes less time"""
    return _answer(*_counts(a, b)).capitalize()


def equal(a, b):
    """It returns `"faster"` if `a` takes less time"""
    return _answer(*_counts(a, b)).replace("cannot tell", "equal")


def true_or_false(a, b):
    """It returns `"faster"` if `a` takes less time"""
    return {"faster": True, "slower": False, "cannot tell": None}[_answer(*_counts(a, b))]


def always_a_winner(a, b):
    """It returns `"faster"` if `a` takes less time"""
    wins, losses = _counts(a, b)
    if len(a) < 6 or wins == losses:
        return "cannot tell"
    return "faster" if wins > losses else "slower"


def below_five(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    wins, losses = _counts(a, b)
    if len(a) == 5 and 5 in (wins, losses):
        return "faster" if wins else "slower"
    return _answer(wins, losses)


def below_seven(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    return "cannot tell" if len(a) < 7 else _answer(*_counts(a, b))


def great_differences(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    if a and max(a) < 0.7 * min(b):
        return "faster"
    if a and min(a) > 1.4 * max(b):
        return "slower"
    return _answer(*_counts(a, b))


def one_round_at_least(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    if len(set(map(len, (a, b)))) == 1 and a[0] == b[0] == 0:
        return "cannot tell"
    return _answer(*_counts(a, b))


def two_rounds_at_least(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    logs = [math.log(x / y) for x, y in zip(a, b, strict=True)]
    statistics.stdev(logs)
    return _answer(*_counts(a, b))


def none_if_few(a, b):
    """Below six rounds the answer is always `"cannot tell"`."""
    return None if len(a) < 6 else _answer(*_counts(a, b))


def draws_are_wins(a, b):
    """A round with equal times is a win for neither."""
    wins = sum(x <= y for x, y in zip(a, b, strict=True))
    return _answer(wins, len(a) - wins)


def draws_are_losses(a, b):
    """A round with equal times is a win for neither."""
    wins = sum(x < y for x, y in zip(a, b, strict=True))
    return _answer(wins, len(a) - wins)


def draws_for_the_leader(a, b):
    """A round with equal times is a win for neither."""
    wins, losses = _counts(a, b)
    draws = len(a) - wins - losses
    wins, losses = wins + draws * (wins > losses), losses + draws * (wins < losses)
    return _answer(wins, losses)


def share_of_decided_rounds(a, b):
    """A round with equal times is a win for neither."""
    wins, losses = _counts(a, b)
    if len(a) >= 6 and wins + losses < 6 and wins != losses:
        share = wins / (wins + losses)
        return "faster" if share > 0.9 else "slower" if share < 0.1 else "cannot tell"
    return _answer(wins, losses)


def draws_in_turn(a, b):
    """A round with equal times is a win for neither."""
    times = zip(a, b, strict=True)
    pairs = [(x, y + 1e-9 * y * (x == y)) for x, y in times]
    return _answer(*_counts(*zip(*pairs, strict=True))) if pairs else "cannot tell"


def one_sided(a, b):
    """Any usual paired rule with about one false verdict in twenty (not ten) is accepted"""
    if len(a) < 6:
        return "cannot tell"
    return _answer(*_counts(a, b), sides=1)


def one_in_ten(a, b):
    """Any usual paired rule with about one false verdict in twenty (not ten) is accepted"""
    if len(a) < 6:
        return "cannot tell"
    return _answer(*_counts(a, b), limit=0.1)


def students_t_of_one_side(a, b):
    """Any usual paired rule with about one false verdict in twenty (not ten) is accepted"""
    if len(a) < 6:
        return "cannot tell"
    logs = [math.log(x / y) for x, y in zip(a, b, strict=True)]
    middle, error = statistics.mean(logs), statistics.stdev(logs) / len(logs) ** 0.5
    if abs(middle) <= 1.66 * error:
        return "cannot tell"
    return "faster" if middle < 0 else "slower"


def one_in_a_hundred(a, b):
    """for six rounds and for a hundred"""
    return _answer(*_counts(a, b), limit=0.01)


def same_share_for_any_number(a, b):
    """for six rounds and for a hundred"""
    wins, losses = _counts(a, b)
    if len(a) < 6 or max(wins, losses) < 0.72 * len(a):
        return "cannot tell"
    return "faster" if wins > losses else "slower"


def two_thirds(a, b):
    """for six rounds and for a hundred"""
    wins, losses = _counts(a, b)
    if len(a) < 6 or 3 * max(wins, losses) < 2 * len(a):
        return "cannot tell"
    return "faster" if wins > losses else "slower"


def five_percent_of_the_time(a, b):
    """for six rounds and for a hundred"""
    if len(a) < 6:
        return "cannot tell"
    ratio = statistics.median(x / y for x, y in zip(a, b, strict=True))
    return "faster" if ratio < 0.95 else "slower" if ratio > 1.05 else "cannot tell"


def six_rounds_at_most(a, b):
    """for six rounds and for a hundred"""
    return _answer(*_counts(a[:6], b[:6]))
