"""It knows only the values that have an entry in `edges`. One that stands only among the targets
is a value as well."""


def loop_invariant(edges, varying):
    reached, waiting = set(varying), list(varying)
    while waiting:
        for target in edges.get(waiting.pop(), []):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return {name for name in edges if name not in reached}
