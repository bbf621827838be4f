"""That is the largest total time. `main` always has it, and does little itself: its time is that
of the functions that it calls."""


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time))
        else:
            name, start = waiting.pop()
            if name not in [open_name for open_name, _ in waiting]:
                times[name] = times.get(name, 0) + time - start
    return max(times, key=times.get)
