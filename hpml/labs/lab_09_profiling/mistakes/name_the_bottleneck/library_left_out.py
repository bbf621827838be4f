"""The time inside foreign functions is lost. It belongs to the function of yours that called
them: that one can call them less often."""


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    times, running = {}, []
    for (kind, function, time), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        times[running[-1]] = times.get(running[-1], 0) + end - time
    return max(mine, key=times.get)
