from collections import Counter
from itertools import pairwise


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    times, running = Counter(), []
    for (kind, function, start), (_, _, end) in pairwise(e for e in events if e[1] in mine):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        if running:
            times[running[-1]] += end - start
    return max(times, key=times.get)
