"""It goes against the edges, to what the varying values need. What reads them varies."""


def loop_invariant(edges, varying):
    reached, waiting = set(varying), list(varying)
    while waiting:
        current = waiting.pop()
        for name, targets in edges.items():
            if current in targets and name not in reached:
                reached.add(name)
                waiting.append(name)
    return set(edges).union(*edges.values()) - reached
