"""It calls itself for the next step, and so again for every way that leads to one. A step is
called once, and Python does not go ten thousand calls deep.
"""


def walk_backward(start, gradient) -> dict:
    if not start.next_functions:
        return {start: gradient}
    arrived, made = {}, start(gradient)
    made = (made,) if len(start.next_functions) == 1 else made
    for (after, _), each in zip(start.next_functions, made):
        if after is not None:
            for end, got in walk_backward(after, each).items():
                arrived[end] = arrived[end] + got if end in arrived else got
    return arrived
