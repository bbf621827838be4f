"""It calls a step as soon as a first gradient arrives. A step must wait for all that send to it."""


def walk_backward(start, gradient) -> dict:
    arrived, waiting = {}, [(start, gradient)]
    for step, each in waiting:
        if not step.next_functions:
            arrived[step] = arrived[step] + each if step in arrived else each
            continue
        made = step(each)
        made = (made,) if len(step.next_functions) == 1 else made
        waiting += [(after, got) for (after, _), got in zip(step.next_functions, made) if after]
    return arrived
