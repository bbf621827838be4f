"""Wrong answers to `walk_backward`: each docstring is the diagnosis."""

import operator


def _gradients(step, gradient):
    made = step(gradient)
    made = (made,) if len(step.next_functions) == 1 else made
    return [(after, each) for (after, _), each in zip(step.next_functions, made) if after]


def _walk(start, gradient, add, *, ends=True):
    senders, found = {start: 0}, [start]
    for step in found:
        for after, _ in step.next_functions:
            if after is not None:
                if after not in senders:
                    found.append(after)
                senders[after] = senders.get(after, 0) + 1
    arrived, totals, ready = {}, {start: gradient}, [start]
    while ready:
        step = ready.pop(0)
        if not step.next_functions:
            arrived[step] = totals[step]
            continue
        for after, each in _gradients(step, totals[step]):
            totals[after] = add(totals[after], each) if after in totals else each
            senders[after] -= 1
            if senders[after] == 0:
                ready.append(after)
    return arrived if ends else totals


def adds_in_place(start, gradient):
    """It adds with `+=`, which changes the gradient in place. A step may send the same gradient to two
    others, and then the other one changes too: write `a = a + b`."""
    return _walk(start, gradient, operator.iadd)


def calls_at_once(start, gradient):
    """It calls a step as soon as a first gradient arrives. A step must wait for all gradients that are
    sent to it."""
    arrived, waiting = {}, [(start, gradient)]
    for step, each in waiting:
        if step.next_functions:
            waiting += _gradients(step, each)
        else:
            arrived[step] = arrived[step] + each if step in arrived else each
    return arrived


def every_step(start, gradient):
    """It returns the gradient of every step. Only the ends were asked for: steps without a next one."""
    return _walk(start, gradient, operator.add, ends=False)


def keeps_the_last(start, gradient):
    """When several gradients arrive at one step, it keeps only the last. Add them up."""
    return _walk(start, gradient, lambda total, each: each)


def recursion(start, gradient):
    """It calls itself for the next step, and so again for every path that leads to a step. Call each
    step once; Python does not allow ten thousand nested calls."""
    if not start.next_functions:
        return {start: gradient}
    arrived = {}
    for after, each in _gradients(start, gradient):
        for end, got in recursion(after, each).items():
            arrived[end] = arrived[end] + got if end in arrived else got
    return arrived
