"""Wrong answers to `best_setting`: each docstring is the diagnosis."""

import statistics
from operator import le, lt


def _best(table, middle=statistics.median):
    return min(table, key=lambda name: middle(table[name]))


def _rivals(table, best, *, wins=lt, share=0.75):
    def won(name):
        return sum(map(wins, table[best], table[name]))

    least = share * len(table[best])
    return [name for name in table if name != best and won(name) < least]


def bands_overlap(table):
    """It counts every setting whose times overlap with those of the best as a rival. The machine may
    have drifted for both: compare the two times of each round."""
    best = _best(table)
    return best, [name for name in table if name != best and min(table[name]) <= max(table[best])]


def beaten_at_the_limit(table):
    """It also counts a setting as a rival if the best beats it in exactly three quarters of the
    rounds. A rival is beaten in fewer."""
    return _best(table), _rivals(table, _best(table), share=0.75 + 1e-9)


def draws_are_wins(table):
    """It counts a draw as a win. Where both took the same time, neither setting wins the round."""
    return _best(table), _rivals(table, _best(table), wins=le)


def half_is_enough(table):
    """It treats winning half of the rounds as decisive. A setting that wins a third of them may just
    have been unlucky: the best has to win three quarters."""
    return _best(table), _rivals(table, _best(table), share=0.5)


def no_rounds(table):
    """It sorts the times before it compares them. Then the k-th times of two settings are no longer
    from the same round."""
    return _best(table), _rivals(
        {name: sorted(times) for name, times in table.items()}, _best(table)
    )


def last_of_equals(table):
    """It takes the last of several settings with the lowest median. The task asks for the first of
    them in the table."""
    best = _best(dict(reversed(table.items())))
    return best, _rivals(table, best)


def lower_middle(table):
    """With an even number of rounds, the median is the mean of the two times in the middle."""
    best = _best(table, statistics.median_low)
    return best, _rivals(table, best)


def mean(table):
    """It takes the smallest mean. One disturbed round can move a mean by any amount; the task asks for
    the median."""
    best = _best(table, statistics.mean)
    return best, _rivals(table, best)


def minimum(table):
    """It takes the setting with the smallest single time. One lucky round decides; the task asks for
    the median."""
    best = _best(table, min)
    return best, _rivals(table, best)


def only_the_name(table):
    """It returns the name alone. The answer also says how sure that is, by the list of rivals, which
    may be empty."""
    return _best(table)
