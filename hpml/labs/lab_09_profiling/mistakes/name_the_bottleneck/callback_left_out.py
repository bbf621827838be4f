"""A foreign function may call one of yours: from then on the time is that one's."""


def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    times, running = {}, []
    for (kind, function, time), (_, _, end) in zip(events, events[1:], strict=False):
        if kind == "enter":
            running.append(function)
        else:
            running.pop()
        payer = None
        for each in running:
            if each in mine:
                payer = each
            elif payer:
                break
        if payer:
            times[payer] = times.get(payer, 0) + end - time
    return max(times, key=times.get)
