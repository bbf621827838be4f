import math

SAYS: dict[str, str] = {
    "A trace contains everything needed": "context: why it can be computed",
    "Write `self_times(events)`.": "the name and the parameter, as in the stub",
    'For example, `self_times([("enter", "main",': "an example: one call inside another is a case",
}

EQUIVALENT: dict[str, str] = {
    "7: kind == 'enter' → kind <= 'enter'": 'an event is "enter" or "leave", and "leave" is later in the alphabet',
}


def _times(events, charge):
    """Charge each interval to the open calls: `charge(times, open, nanoseconds)`."""
    times, running = {}, []
    for place, (kind, function, time) in enumerate(events):
        if running and place:
            charge(times, running, time - events[place - 1][2])
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
    return times


def _add(times, running, nanoseconds):
    times[running[-1]] = times.get(running[-1], 0) + nanoseconds


def total_times(events):
    """the nanoseconds that it ran *itself*, without the calls inside it"""

    def charge(times, running, nanoseconds):
        for name in set(running):
            times[name] = times.get(name, 0) + nanoseconds

    return _times(events, charge)


def outermost_calls_only(events):
    """the nanoseconds that it ran *itself*, without the calls inside it"""

    def charge(times, running, nanoseconds):
        times[running[0]] = times.get(running[0], 0) + nanoseconds

    return _times(events, charge)


def as_floats(events):
    """an `int`, which may be 0"""
    return {name: float(time) for name, time in _times(events, _add).items()}


def by_way_of_floats(events):
    """an `int`, which may be 0"""
    return _times([(kind, name, int(float(time))) for kind, name, time in events], _add)


def microseconds(events):
    """returns for each function the nanoseconds"""
    return {name: time // 1000 for name, time in _times(events, _add).items()}


def without_zeros(events):
    """an `int`, which may be 0"""
    return {name: time for name, time in _times(events, _add).items() if time}


def at_least_one(events):
    """an `int`, which may be 0"""
    return {name: time or 1 for name, time in _times(events, _add).items()}


def callers_only(events):
    """It returns for each function"""
    times = _times(events, _add)
    inside = set()
    for (kind, name, _), (after, _, _) in zip(events, events[1:], strict=False):
        if kind == after == "enter":
            inside.add(name)
    return {name: time for name, time in times.items() if name in inside}


def pairs(events):
    """It returns for each function"""
    return list(_times(events, _add).items())


def looks_for_the_word(events):
    """`events` is a list as above, and each `enter` has its `leave`."""
    return _times([("enter" if "enter" in e else "leave", *e[1:]) for e in events], _add)


def uses_the_list_up(events):
    """`events` is a list as above, and each `enter` has its `leave`."""
    times = _times(events, _add)
    events.clear()
    return times


def fails_if_empty(events):
    """An empty list gives `{}`."""
    assert events[0][0] == "enter"
    return _times(events, _add)


def none_if_empty(events):
    """An empty list gives `{}`."""
    return _times(events, _add) or None


def the_last_call(events):
    """A function may be called many times, or call itself; its times add up."""
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


def the_longest_call(events):
    """A function may be called many times, or call itself; its times add up."""
    times, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append([time, 0])
        else:
            start, below = waiting.pop()
            times[function] = max(times.get(function, 0), time - start - below)
            if waiting:
                waiting[-1][1] += time - start
    return times


def one_start_a_name(events):
    """A function may be called many times, or call itself; its times add up."""
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


def itself_directly_only(events):
    """A function may be called many times, or call itself; its times add up."""

    def charge(times, running, nanoseconds):
        name = running[-1]
        if name not in running[:-1] or running[-2:] == [name, name]:
            _add(times, running, nanoseconds)
        else:
            times.setdefault(name, 0)

    return _times(events, charge)


def twice_at_most(events):
    """A function may be called many times, or call itself; its times add up."""
    seen, closed, kept = {}, [], []
    for event in events:
        kind, name, _ = event
        if kind == "enter":
            seen[name] = seen.get(name, 0) + 1
            closed.append(seen[name] <= 2)
        else:
            closed_now = closed.pop()
            kept += [event] if closed_now else []
            continue
        kept += [event] if closed[-1] else []
    return _times(kept, _add)


def recursive(events):
    """Ten thousand calls may be open at a time."""
    times = {}

    def read(place):
        _, name, last = events[place]
        times.setdefault(name, 0)
        place += 1
        while events[place][0] == "enter":
            times[name] += events[place][2] - last
            place, last = read(place)
        times[name] += events[place][2] - last
        return place + 1, events[place][2]

    place = 0
    while place < len(events):
        place, _ = read(place)
    return times


def nine_thousand_at_most(events):
    """Ten thousand calls may be open at a time."""

    def charge(times, running, nanoseconds):
        if len(running) > 9_990:
            raise MemoryError
        _add(times, running, nanoseconds)

    return _times(events, charge)


def between_outermost_calls(events):
    """Time between two outermost calls does not count."""
    times, running, last = {}, [], None
    for (kind, function, start), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
            last = function
        else:
            last = running.pop()
        name = running[-1] if running else last
        times[name] = times.get(name, 0) + end - start
    return times


def before_the_next_outermost_call(events):
    """Time between two outermost calls does not count."""
    times, running = {}, []
    for (kind, function, start), (_, after, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        name = running[-1] if running else after
        times[name] = times.get(name, 0) + end - start
    return times


def since_the_clock_began(events):
    """Time between two outermost calls does not count."""
    times = _times(events, _add)
    if events:
        times[events[0][1]] += events[0][2]
    return times


def function_of_its_own(events):
    """Time between two outermost calls does not count."""
    times = _times(events, _add)
    closed = math.nan
    depth = 0
    for kind, _, time in events:
        if kind == "enter" and not depth and closed == closed:
            times[None] = times.get(None, 0) + time - closed
        depth += 1 if kind == "enter" else -1
        closed = time
    return times
