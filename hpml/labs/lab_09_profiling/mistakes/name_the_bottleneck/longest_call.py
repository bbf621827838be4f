"""That function has the longest single stretch. Many short ones may be more: add them up."""


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    longest, waiting = {}, []
    for kind, function, time in events:
        if kind == "enter":
            waiting.append([time, 0])
        else:
            start, below = waiting.pop()
            if function in mine:
                longest[function] = max(longest.get(function, 0), time - start - below)
            if waiting:
                waiting[-1][1] += time - start
    return max(longest, key=longest.get)
