from collections import defaultdict


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, waiting = defaultdict(int), []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append([time, 0])
        else:
            start, below = waiting.pop()
            times[function] += time - start - below
            if waiting:
                waiting[-1][1] += time - start
    return times
