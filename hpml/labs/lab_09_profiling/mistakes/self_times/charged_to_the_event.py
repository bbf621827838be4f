"""The time before an event goes to the function that the event names. Before an `enter` it was the
caller that ran."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times, last = {}, None
    for kind, function, time in events:
        if last is not None:
            times[function] = times.get(function, 0) + time - last
        last = time
    return times
