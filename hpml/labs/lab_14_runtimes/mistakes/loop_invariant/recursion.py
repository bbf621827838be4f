"""Each call waits for the next one, and Python allows about a thousand. Keep a list of what is
still to be followed."""


def loop_invariant(edges, varying):
    reached = set()

    def follow(name):
        if name not in reached:
            reached.add(name)
            for target in edges.get(name, []):
                follow(target)

    for name in varying:
        follow(name)
    return set(edges).union(*edges.values()) - reached
