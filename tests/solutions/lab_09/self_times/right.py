import itertools


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, running = {}, []
    for (kind, function, start), (_, _, end) in itertools.pairwise(events):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        if running:
            times[running[-1]] = times.get(running[-1], 0) + end - start
    return times
