"""Wrong answers to `self_times`: each docstring is the diagnosis."""


def charged_to_the_event(events):
    """It gives the time before an event to the function that the event names. Before an `enter` it
    was the caller that ran."""
    times, last = {}, None
    for kind, function, time in events:
        if last is not None:
            times[function] = times.get(function, 0) + time - last
        last = time
    return times


def last_call_only(events):
    """Each call overwrites the time of earlier calls. A function's time is the sum over its
    calls."""
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


def one_start_a_name(events):
    """A function that calls itself is open twice, and the second start replaces the first. Keep a
    list of open calls, not one start for each name."""
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


def total_times(events):
    """These are total times: they include time in the functions that were called. Which function
    runs between two consecutive events?"""
    times, waiting, still_open = {}, [], {}
    for kind, function, time in events:
        if kind == "enter":
            waiting.append((function, time))
            still_open[function] = still_open.get(function, 0) + 1
        else:
            name, start = waiting.pop()
            still_open[name] -= 1
            if not still_open[name]:
                times[name] = times.get(name, 0) + time - start
    return times
