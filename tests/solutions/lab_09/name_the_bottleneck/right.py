def name_the_bottleneck(events: list[tuple[str, str, int]], mine: set[str]) -> str:
    times, running, last = {}, [], 0
    for kind, function, time in events:
        if function in mine:
            if running:
                times[running[-1]] = times.get(running[-1], 0) + time - last
            if kind == "enter":
                running.append(function)
            else:
                running.pop()
            last = time
    return max(times, key=times.get)
