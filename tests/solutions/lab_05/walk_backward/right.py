def walk_backward(start, gradient) -> dict:
    senders, found = {start: 0}, [start]
    for step in found:
        for after, _ in step.next_functions:
            if after is not None:
                if after not in senders:
                    senders[after] = 0
                    found.append(after)
                senders[after] += 1
    arrived, totals, ready = {}, {start: gradient}, [start]
    for step in ready:
        if not step.next_functions:
            arrived[step] = totals[step]
            continue
        made = step(totals[step])
        if len(step.next_functions) == 1:
            made = (made,)
        for (after, _), each in zip(step.next_functions, made, strict=True):
            if after is not None:
                totals[after] = totals[after] + each if after in totals else each
                senders[after] -= 1
                if senders[after] == 0:
                    ready.append(after)
    return arrived
