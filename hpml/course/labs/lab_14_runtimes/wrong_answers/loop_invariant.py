"""Wrong answers to `loop_invariant`: each docstring is the diagnosis."""


def _reached(readers, varying):
    reached, waiting = set(varying), list(varying)
    while waiting:
        new = set(readers(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def _varies(edges, varying):
    return _reached(lambda name: edges.get(name, []), varying)


def _values(edges):
    return set(edges).union(*edges.values())


def against_the_edges(edges, varying):
    """It follows the edges backwards, to what the varying values read. Follow them to their readers."""

    def needs(name):
        return [source for source, targets in edges.items() if name in targets]

    return _values(edges) - _reached(needs, varying)


def forgets_targets(edges, varying):
    """It knows only the values that have an entry in `edges`. A value that appears only as a reader
    counts as well."""
    return set(edges) - _varies(edges, varying)


def one_step(edges, varying):
    """It removes the readers of a varying value, and keeps their readers. Follow the edges further."""
    return _values(edges) - set(varying).union(*(edges.get(name, []) for name in varying))


def recursion(edges, varying):
    """Each call waits for the next one, and Python allows about a thousand nested calls. Keep a list
    of the values that you still have to follow."""
    reached = set()

    def follow(name):
        if name not in reached:
            reached.add(name)
            for target in edges.get(name, []):
                follow(target)

    for name in varying:
        follow(name)
    return _values(edges) - reached


def the_other_half(edges, varying):
    """It returns what varies. The task asks for what does not."""
    return _varies(edges, varying)
