"""It returns what varies. What does not is asked for."""


def loop_invariant(edges, varying):
    reached, waiting = set(varying), list(varying)
    while waiting:
        for target in edges.get(waiting.pop(), []):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
