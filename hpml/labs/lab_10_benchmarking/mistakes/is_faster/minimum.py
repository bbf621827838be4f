"""It compares the two minima, and so one sample of each. A single lucky one decides; and there is no
`cannot tell`."""


def is_faster(a, b):
    x, y = min(a), min(b)
    if x == y:
        return "cannot tell"
    return "faster" if x < y else "slower"
