def name_the_bottleneck(events, mine):
    times = dict.fromkeys(mine, 0)
    payers, before = [None], 0
    for kind, function, time in events:
        if payers[-1] is not None:
            times[payers[-1]] += time - before
        if kind == "enter":
            payers.append(function if function in mine else payers[-1])
        else:
            payers.pop()
        before = time
    best = sorted(mine)[0]
    for name in mine:
        if times[name] > times[best]:
            best = name
    return best
