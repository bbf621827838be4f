"""Nearly every round has the same winner, and it cannot tell. Does it look at the two bands, each by
itself? Where the machine drifts both are wide, and overlap."""


def is_faster(a, b):
    if len(a) < 6:
        return "cannot tell"
    low, high = len(a) // 4, -1 - len(a) // 4
    if sorted(a)[high] < sorted(b)[low]:
        return "faster"
    if sorted(a)[low] > sorted(b)[high]:
        return "slower"
    return "cannot tell"
