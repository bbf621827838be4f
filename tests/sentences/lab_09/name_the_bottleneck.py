from collections import Counter
from itertools import pairwise

SAYS: dict[str, str] = {
    "A *foreign* function is one that is not in `mine`.": "a definition, used by the next sentence",
    "You may use your `self_times`.": "a permission",
    'With `mine = {"main", "order"}`, the trace': "an example: `sorted` below `order` is a case",
}

EQUIVALENT: dict[str, str] = {
    "8: kind == 'enter' → kind <= 'enter'": 'an event is "enter" or "leave", and "leave" is later in the alphabet',
}


def _charged(events, payer):
    """Charge each interval to `payer(open)`, which may be None."""
    times, running = Counter(), []
    for (kind, function, start), (_, _, end) in pairwise(events):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        name = payer(running)
        if name is not None:
            times[name] += end - start
    return times


def _named(times, mine):
    return max(sorted(mine), key=lambda name: times[name])


def _last_of(mine):
    return lambda running: next((name for name in reversed(running) if name in mine), None)


def largest_of_all(events, mine):
    """gets a trace and the set of your functions, the ones that you can fix"""
    times = _charged(events, lambda running: running[-1] if running else None)
    return max(times, key=times.get)


def takes_from_the_set(events, mine):
    """gets a trace and the set of your functions, the ones that you can fix"""
    found = _named(_charged(events, _last_of(mine)), mine)
    mine.discard("unused")
    mine.discard(found)
    return found


def total_time(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    times, running = Counter(), []
    for (kind, function, start), (_, _, end) in pairwise(events):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        for name in set(running) & mine:
            times[name] += end - start
    return _named(times, mine)


def longest_call(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    longest, open_calls = Counter(), []
    for (kind, function, start), (_, _, end) in pairwise(e for e in events if e[1] in mine):
        if kind == "enter":
            open_calls.append([function, 0])
        else:
            name, time = open_calls.pop()
            longest[name] = max(longest[name], time)
        if open_calls:
            open_calls[-1][1] += end - start
    for name, time in open_calls:
        longest[name] = max(longest[name], time)
    return _named(longest, mine)


def most_calls(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    return _named(Counter(name for kind, name, _ in events if kind == "enter"), mine)


def the_name_and_its_time(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    times = _charged(events, _last_of(mine))
    return _named(times, mine), times[_named(times, mine)]


def without_main(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    times = _charged(events, _last_of(mine))
    return _named(times, mine - {"main", "leave"} or mine)


def every_function_is_called(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    times = dict(_charged(events, _last_of(mine)))
    return max(sorted(mine), key=lambda name: times[name])


def by_way_of_floats(events, mine):
    """It returns the function of `mine` with the most time of its own."""
    rounded = [(kind, name, float(time)) for kind, name, time in events]
    return _named(_charged(rounded, _last_of(mine)), mine)


def foreign_time_is_lost(events, mine):
    """Its time counts as time of the function of `mine` that called it"""

    def payer(running):
        return running[-1] if running and running[-1] in mine else None

    return _named(_charged(events, payer), mine)


def called_directly_only(events, mine):
    """directly or through other foreign functions"""

    def payer(running):
        return next((name for name in running[:-3:-1] if name in mine), None)

    return _named(_charged(events, payer), mine)


def through_two_at_most(events, mine):
    """directly or through other foreign functions"""

    def payer(running):
        return next((name for name in running[:-4:-1] if name in mine), None)

    return _named(_charged(events, payer), mine)


def through_ten_at_most(events, mine):
    """directly or through other foreign functions"""

    def payer(running):
        return next((name for name in running[:-12:-1] if name in mine), None)

    return _named(_charged(events, payer), mine)


def outermost_of_mine_pays(events, mine):
    """Its time counts as time of the function of `mine` that called it"""

    def payer(running):
        if running and running[-1] in mine:
            return running[-1]
        return next((name for name in running if name in mine), None)

    return _named(_charged(events, payer), mine)


def last_entered_pays(events, mine):
    """Its time counts as time of the function of `mine` that called it"""
    times, last, running = Counter(), None, []
    for (kind, function, start), (_, _, end) in pairwise(events):
        if kind == "enter":
            running.append(function)
            last = function if function in mine else last
        else:
            running.pop()
        if running and last is not None:
            times[running[-1] if running[-1] in mine else last] += end - start
    return _named(times, mine)


def below_a_foreign_function_all_is_its(events, mine):
    """A foreign function may call one of yours, as `sorted` calls its `key`."""

    def payer(running):
        if not running or running[0] not in mine:
            return _last_of(mine)(running)
        own = running[: next((k for k, n in enumerate(running) if n not in mine), len(running))]
        return own[-1]

    return _named(_charged(events, payer), mine)


def yours_is_left_out_below(events, mine):
    """A foreign function may call one of yours, as `sorted` calls its `key`."""

    def payer(running):
        if any(name not in mine for name in running[:-1]) and running[-1:] != []:
            return None if running[-1] in mine else _last_of(mine)(running)
        return _last_of(mine)(running)

    return _named(_charged(events, payer), mine)


def foreign_time_outside_is_the_firsts(events, mine):
    """Time outside functions of `mine` does not count."""
    first = next(name for _, name, _ in events if name in mine)

    def payer(running):
        return (_last_of(mine)(running) or first) if running else None

    return _named(_charged(events, payer), mine)


def foreign_time_outside_is_the_lasts(events, mine):
    """Time outside functions of `mine` does not count."""
    times, running = Counter(), []
    mine_only = [event for event in events if event[1] in mine]
    for (kind, function, start), (_, _, end) in pairwise(mine_only):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        times[running[-1] if running else function] += end - start
    return _named(times, mine)


def pauses_are_the_nexts(events, mine):
    """Time outside functions of `mine` does not count."""
    times, running = Counter(), []
    mine_only = [event for event in events if event[1] in mine]
    for (kind, function, start), (_, after, end) in pairwise(mine_only):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        times[running[-1] if running else after] += end - start
    return _named(times, mine)
