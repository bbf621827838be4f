"""Each call replaces what was noted of the calls before. A function's time is the sum of them."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append([time, 0])
        else:
            start, below = waiting.pop()
            times[function] = time - start - below
            if waiting:
                waiting[-1][1] += time - start
    return times
