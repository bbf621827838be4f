"""Each open call is a call of yours, and Python allows about a thousand at a time. Keep a list."""


def self_times(events: list[tuple[str, str, int]]) -> dict[str, int]:
    times = {}

    def call(place):
        _, function, start = events[place]
        below, place = 0, place + 1
        while events[place][0] == "enter":
            taken, place = call(place)
            below += taken
        taken = events[place][2] - start
        times[function] = times.get(function, 0) + taken - below
        return taken, place + 1

    place = 0
    while place < len(events):
        _, place = call(place)
    return times
