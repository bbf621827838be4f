"""It counts what varies itself among the invariant values."""


def loop_invariant(edges, varying):
    reached, waiting = set(), list(varying)
    while waiting:
        for target in edges.get(waiting.pop(), []):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return set(edges).union(*edges.values()) - reached
