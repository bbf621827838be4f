"""These are total times: what a function called is in them too. Which function runs between two
events that follow each other?"""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time))
        else:
            name, start = waiting.pop()
            if name not in [open_name for open_name, _ in waiting]:
                times[name] = times.get(name, 0) + time - start
    return times
