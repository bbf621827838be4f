"""A function that calls itself is open twice, and the second start replaces the first. Keep a list
of open calls, not one start for each name."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, start, below, callers = {}, {}, {}, []
    for kind, function, time in events:
        if kind == "enter":
            start[function], below[function] = time, 0
            callers.append(function)
        else:
            callers.pop()
            taken = time - start[function]
            times[function] = times.get(function, 0) + taken - below[function]
            if callers:
                below[callers[-1]] += taken
    return times
