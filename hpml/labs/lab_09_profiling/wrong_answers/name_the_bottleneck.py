"""Wrong answers to `name_the_bottleneck`: each docstring is the diagnosis."""

from collections import Counter


def _self_times(events):
    times, running = {}, []
    for (kind, function, time), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        times[running[-1]] = times.get(running[-1], 0) + end - time
    return times


def largest_of_all(events, mine):
    """That function is not yours, so you cannot fix it. Its time belongs to the function that
    called it."""
    times = _self_times(events)
    return max(times, key=times.get)


def largest_total(events, mine):
    """That is the largest total time. `main` always has it, and does little itself: its time is
    that of the functions that it calls."""
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time))
        else:
            name, start = waiting.pop()
            if name not in [open_name for open_name, _ in waiting]:
                times[name] = times.get(name, 0) + time - start
    return max(times, key=times.get)


def library_left_out(events, mine):
    """The time inside foreign functions is lost. It belongs to the function of yours that called
    them: that one can call them less often."""
    return max(mine, key=_self_times(events).get)


def most_calls(events, mine):
    """That function is called most often. A thousand calls of a microsecond are a millisecond."""
    calls = Counter(function for kind, function, _ in events if kind == "enter")
    return max(mine, key=lambda name: calls[name])
