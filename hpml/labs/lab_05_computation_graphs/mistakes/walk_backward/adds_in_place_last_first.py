"""It adds with `+=`, which changes the gradient in place. A step may hand the same gradient to
two others, and then the other one changes too: write `a = a + b`.
"""


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
    while ready:
        step = ready.pop()
        if not step.next_functions:
            arrived[step] = totals[step]
            continue
        made = step(totals[step])
        if len(step.next_functions) == 1:
            made = (made,)
        for (after, _), each in zip(step.next_functions, made):
            if after is not None:
                if after in totals:
                    totals[after] += each
                else:
                    totals[after] = each
                senders[after] -= 1
                if senders[after] == 0:
                    ready.append(after)
    return arrived
