import statistics

SAYS: dict[str, str] = {
    "Write `best_setting(table)`.": "the name and the parameter, as in the stub",
    'For `{"a": [1.0, 1.0], "b": [2.0, 1.0]}` the result': "an example: a draw is a case",
}

EQUIVALENT: dict[str, str] = {
    "8: True → False": "all settings have a time for each round",
}


def _best(table, middle=statistics.median):
    return min(table, key=lambda name: middle(table[name]))


def _wins(table, best, name):
    return sum(a < b for a, b in zip(table[best], table[name], strict=True))


def _rivals(table, best, wins=_wins, share=0.75):
    least = share * len(table[best])
    return [name for name in table if name != best and wins(table, best, name) < least]


def unpaired(table):
    """the k-th times are all from round k"""
    best = _best(table)
    return best, _rivals({name: sorted(times) for name, times in table.items()}, best)


def every_pair_of_times(table):
    """the k-th times are all from round k"""

    def wins(table, best, name):
        times = table[best]
        return sum(a < b for a in times for b in table[name]) / len(times)

    return _best(table), _rivals(table, _best(table), wins)


def bands_overlap(table):
    """the k-th times are all from round k"""
    best = _best(table)
    return best, [name for name in table if name != best and min(table[name]) <= max(table[best])]


def two_settings_at_least(table):
    """`table` has a list of times for each setting"""
    first, second, *_ = table
    assert first != second
    return _best(table), _rivals(table, _best(table))


def two_rounds_at_least(table):
    """`table` has a list of times for each setting"""
    assert all(statistics.variance(times) >= 0 for times in table.values())
    return _best(table), _rivals(table, _best(table))


def sorts_the_times(table):
    """`table` has a list of times for each setting"""
    found = _best(table), _rivals(table, _best(table))
    for times in table.values():
        times.sort()
    return found


def the_name_alone(table):
    """Return a pair."""
    return _best(table)


def the_name_if_there_is_no_rival(table):
    """Return a pair."""
    return (
        (_best(table), _rivals(table, _best(table)))
        if _rivals(table, _best(table))
        else (_best(table))
    )


def a_dictionary(table):
    """Return a pair."""
    return {_best(table): _rivals(table, _best(table))}


def with_the_median(table):
    """Return a pair."""
    best = _best(table)
    return best, _rivals(table, best), statistics.median(table[best])


def _choosing(table, middle):
    best = _best(table, middle)
    return best, _rivals(table, best)


def lowest_mean(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, statistics.fmean)


def lowest_time(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, min)


def lowest_of_the_higher_medians(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, statistics.median_high)


def lowest_of_the_lower_medians(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, statistics.median_low)


def time_in_the_middle(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, lambda times: times[len(times) // 2])


def highest_median(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, lambda times: -statistics.median(times))


def most_wins(table):
    """First comes the setting with the lowest median"""
    best = max(table, key=lambda name: sum(_wins(table, name, other) for other in table))
    return best, _rivals(table, best)


def to_six_digits(table):
    """First comes the setting with the lowest median"""
    return _choosing(table, lambda times: round(statistics.median(times), 6))


def the_last_of_several(table):
    """if several have it, the first of them in the table"""
    best = min(reversed(table), key=lambda name: statistics.median(table[name]))
    return best, _rivals(table, best)


def the_first_by_name(table):
    """if several have it, the first of them in the table"""
    best = min(sorted(table), key=lambda name: statistics.median(table[name]))
    return best, _rivals(table, best)


def the_lowest_time_of_several(table):
    """if several have it, the first of them in the table"""
    return _choosing(table, lambda times: (statistics.median(times), min(times)))


def all_of_several(table):
    """if several have it, the first of them in the table"""
    least = min(map(statistics.median, table.values()))
    best = [name for name in table if statistics.median(table[name]) == least]
    return best if len(best) > 1 else best[0], _rivals(table, best[0])


def rivals_by_name(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), sorted(_rivals(table, _best(table)))


def rivals_by_median(table):
    """Second comes the list of its rivals, in the order of the table."""
    rivals = _rivals(table, _best(table))
    return _best(table), sorted(rivals, key=lambda name: statistics.median(table[name]))


def rivals_reversed(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), _rivals(table, _best(table))[::-1]


def number_of_rivals(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), len(_rivals(table, _best(table)))


def set_of_rivals(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), {*_rivals(table, _best(table))}


def none_if_there_is_none(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), _rivals(table, _best(table)) or None


def rivals_after_the_best(table):
    """Second comes the list of its rivals, in the order of the table."""
    names, best = [*table], _best(table)
    return best, [name for name in _rivals(table, best) if names.index(name) > names.index(best)]


def one_rival(table):
    """Second comes the list of its rivals, in the order of the table."""
    return _best(table), _rivals(table, _best(table))[:1]


def its_own_rival(table):
    """A rival is another setting that the best beats"""
    best = _best(table)
    return best, [name for name in table if _wins(table, best, name) < 0.75 * len(table[best])]


def at_most_three_quarters(table):
    """in fewer than three quarters of the rounds"""
    best = _best(table)
    most = 0.75 * len(table[best])
    return best, [n for n in table if n != best and _wins(table, best, n) <= most]


def three_quarters_rounded_down(table):
    """in fewer than three quarters of the rounds"""
    best = _best(table)
    least = 3 * len(table[best]) // 4
    return best, [n for n in table if n != best and _wins(table, best, n) < least]


def half_of_the_rounds(table):
    """in fewer than three quarters of the rounds"""
    return _best(table), _rivals(table, _best(table), share=0.5)


def seven_tenths_of_the_rounds(table):
    """in fewer than three quarters of the rounds"""
    return _best(table), _rivals(table, _best(table), share=0.7)


def beaten_in_a_quarter(table):
    """in fewer than three quarters of the rounds"""
    best = _best(table)
    most = 0.25 * len(table[best])
    return best, [n for n in table if n != best and _wins(table, n, best) > most]


def share_of_decided_rounds(table):
    """in fewer than three quarters of the rounds"""
    best = _best(table)

    def share(name):
        won, lost = _wins(table, best, name), _wins(table, name, best)
        return won / (won + lost) if won + lost else 0.0

    return best, [name for name in table if name != best and share(name) < 0.75]


def losers(table):
    """in fewer than three quarters of the rounds"""
    best = _best(table)
    return best, [name for name in table if name != best and name not in _rivals(table, best)]


def equal_is_a_win(table):
    """Equal times are not a win."""

    def wins(table, best, name):
        return sum(a <= b for a, b in zip(table[best], table[name], strict=True))

    return _best(table), _rivals(table, _best(table), wins)


def equal_is_half_a_win(table):
    """Equal times are not a win."""

    def wins(table, best, name):
        pairs = zip(table[best], table[name], strict=True)
        return sum((a < b) + (a == b) / 2 for a, b in pairs)

    return _best(table), _rivals(table, _best(table), wins)


def nearly_equal_is_not_a_win(table):
    """Equal times are not a win."""

    def wins(table, best, name):
        return sum(a < b - 1e-9 for a, b in zip(table[best], table[name], strict=True))

    return _best(table), _rivals(table, _best(table), wins)


def forbidden_torch(table):
    """and `numpy`, but not"""
    import torch

    best = _best(table, lambda times: float(torch.tensor(times, dtype=torch.float64).quantile(0.5)))
    return best, _rivals(table, best)
