"""Between two outermost calls no function runs, so that time is nobody's."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, running = {}, []
    for (kind, function, time), (_, _, end) in zip(events, events[1:] + events[-1:], strict=True):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        now = running[-1] if running else function
        times[now] = times.get(now, 0) + end - time
    return times
