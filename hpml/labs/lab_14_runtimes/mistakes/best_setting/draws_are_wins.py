"""A round in which both took the same time counts as won. It is won by nobody."""

import statistics


def best_setting(table):
    best = min(table, key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a <= b for a, b in zip(table[best], table[name]))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
