from collections import defaultdict


def self_times(events):
    times, below = defaultdict(int), [0]
    starts = []
    for kind, function, time in events:
        if kind == "enter":
            starts.append(time)
            below.append(0)
            continue
        whole = time - starts.pop()
        times[function] += whole - below.pop()
        below[-1] += whole
    return times
