"""Wrong answers to `best_setting`: each docstring is the diagnosis."""

import statistics
from operator import lt


def _best(table, middle=statistics.median):
    return min(table, key=lambda name: middle(table[name]))


def _rivals(table, best, share=0.75):
    least = share * len(table[best])
    wins = {name: sum(map(lt, table[best], times)) for name, times in table.items()}
    return [name for name in table if name != best and wins[name] < least]


def bands_overlap(table):
    """It counts every setting whose times overlap with those of the best as a rival. The machine may
    have drifted for both: compare the two times of each round."""
    best = _best(table)
    return best, [name for name in table if name != best and min(table[name]) <= max(table[best])]


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
