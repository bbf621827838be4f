"""It calls a rival whoever's median is near that of the best. How near is near enough, the rounds say: compare the
two times of each."""

import statistics


def best_setting(table):
    middle = {name: statistics.median(times) for name, times in table.items()}
    best = min(middle, key=middle.get)
    return best, [name for name in table if name != best and middle[name] <= 1.05 * middle[best]]
