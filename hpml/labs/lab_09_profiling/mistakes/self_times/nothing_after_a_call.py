"""A function's time ends where its first call begins. It goes on when that call is left."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times = {}
    for (kind, function, time), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            times[function] = times.get(function, 0) + end - time
    return times
