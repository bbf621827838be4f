"""Wrong answers to `name_the_bottleneck`: each docstring is the diagnosis."""

from collections import Counter


def _running(events):
    """Yield the open calls after each event, and the time until the next."""
    running = []
    for (kind, function, time), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        yield running, end - time


def _self_times(events):
    times = Counter()
    for running, nanoseconds in _running(events):
        if running:
            times[running[-1]] += nanoseconds
    return times


def largest_of_all(events, mine):
    """The function it names is not yours, so you cannot fix it. Its time belongs to the function
    that called it."""
    times = _self_times(events)
    return max(times, key=times.get)


def largest_total(events, mine):
    """It compares total times. `main` always has the largest, but does little itself: most of its
    time is spent in the functions that it calls."""
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time))
        else:
            name, start = waiting.pop()
            if name not in [open_name for open_name, _ in waiting]:
                times[name] = times.get(name, 0) + time - start
    return max(times, key=times.get)


def largest_total_of_yours(events, mine):
    """It compares total times. The outermost function has the largest, but does little itself: most
    of its time is spent in the functions that it calls."""
    times, starts = dict.fromkeys(sorted(mine), 0), []
    for kind, function, time in events:
        if kind == "enter":
            starts.append(time)
        elif function in times:
            times[function] += time - starts.pop()
        else:
            starts.pop()
    return max(times, key=times.get)


def library_left_out(events, mine):
    """The time inside foreign functions is lost. It belongs to the function of yours that called
    them: you can change it to call them less often."""
    times = _self_times(events)
    return max(sorted(mine), key=lambda name: times[name])


def most_calls(events, mine):
    """It names the function with the most calls. A thousand calls of 1 µs take only 1 ms."""
    calls = Counter(function for kind, function, _ in events if kind == "enter")
    return max(sorted(mine), key=lambda name: calls[name])


def most_calls_first_seen(events, mine):
    """It names the function with the most calls. A thousand calls of 1 µs take only 1 ms."""
    calls = Counter(name for kind, name, _ in events if kind == "enter" and name in mine)
    return calls.most_common(1)[0][0]
