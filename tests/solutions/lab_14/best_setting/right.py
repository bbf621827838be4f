import statistics


def best_setting(table: dict[str, list[float]]) -> tuple[str, list[str]]:
    best = min(table, key=lambda name: statistics.median(table[name]))
    rivals = []
    for name in table:
        wins = sum(a < b for a, b in zip(table[best], table[name], strict=True))
        if name != best and wins < 0.75 * len(table[best]):
            rivals.append(name)
    return best, rivals
