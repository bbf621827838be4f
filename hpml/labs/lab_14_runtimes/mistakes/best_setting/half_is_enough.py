"""It calls a rival only who wins more than half of the rounds. Whoever wins a third of them may
just have been unlucky: best has to win three quarters."""

import statistics


def best_setting(table):
    best = min(table, key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name]))
        if name != best and wins < 0.5 * len(table[best]):
            rivals.append(name)
    return best, rivals
