"""It leaves out what reads a varying value, and keeps what reads that. Follow the edges on."""


def loop_invariant(edges, varying):
    reached = set(varying)
    for name in varying:
        reached.update(edges.get(name, []))
    return set(edges).union(*edges.values()) - reached
