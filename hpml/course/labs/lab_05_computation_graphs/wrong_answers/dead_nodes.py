"""Wrong answers to `dead_nodes`: each docstring is the diagnosis."""


def _nodes(edges):
    return set(edges).union(*edges.values())


def _live(edges, outputs):
    before = {}
    for name, targets in edges.items():
        for target in targets:
            before.setdefault(target, []).append(name)
    return _reached(before, outputs)


def _reached(edges, starts):
    reached, waiting = set(starts), list(starts)
    while waiting:
        new = set(edges.get(waiting.pop(), [])) - reached
        reached |= new
        waiting += new
    return reached


def follows_the_edges(edges, outputs):
    """It starts at the outputs and follows the edges, to what comes after an output. What an output
    needs comes before it."""
    return _nodes(edges) - _reached(edges, outputs)


def forgets_targets(edges, outputs):
    """It knows only the nodes that have an entry in `edges`. A node that appears only as a target is a
    node as well."""
    return set(edges) - _live(edges, outputs)


def only_the_ends(edges, outputs):
    """It finds the ends that are not outputs. A node that leads only to dead nodes
    is dead too, also after an output, although it has targets."""
    return {name for name in _nodes(edges) if not edges.get(name) and name not in outputs}


def looks_one_step_back(edges, outputs):
    """It keeps the outputs and the nodes just before them. What those nodes need is live too: repeat
    the step until nothing is new."""
    return _nodes(edges) - {n for n in edges if set(edges[n]) & set(outputs)}.union(outputs)


def returns_the_live_ones(edges, outputs):
    """Those are the nodes that an output needs. The others are dead."""
    return _live(edges, outputs)
