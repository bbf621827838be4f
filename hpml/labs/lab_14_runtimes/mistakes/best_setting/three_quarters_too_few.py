"""It calls a rival whom the best beats in exactly three quarters of the rounds. A rival is beaten
in fewer."""

import statistics


def best_setting(table):
    best = min(table, key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name]))
        if name != best and wins <= 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
