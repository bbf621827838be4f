"""That function is called most often. A thousand calls of a microsecond are a millisecond."""

from collections import Counter


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    calls = Counter(function for kind, function, _ in events if kind == "enter")
    return max(mine, key=lambda name: calls[name])
