"""It takes the smallest mean. One disturbed round moves a mean as far as it likes; the median is
asked for."""


def best_setting(table):
    best = min(table, key=lambda name: sum(table[name]) / len(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name]))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
