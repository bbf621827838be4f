"""It compares sorted times. The k-th times of two settings belong to the same round only as long as
neither list is sorted."""

import statistics


def best_setting(table):
    best = min(table, key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(sorted(table[best]), sorted(table[name])))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
