"""Wrong answers to `topological_order`: each docstring is the diagnosis."""


def _kahn(edges, *, check=True):
    """Take each node whose predecessors are all in the order."""
    waits = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in targets:
            waits[target] = waits.get(target, 0) + 1
    ready, order = [name for name, count in waits.items() if count == 0], []
    while ready:
        name = ready.pop(0)
        order.append(name)
        for target in edges.get(name, []):
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    if check and len(order) < len(waits):
        raise ValueError("the graph has a cycle")
    return order


def forgets_targets(edges):
    """It knows only the nodes that have an entry in `edges`. A node that appears only as a target is a
    node as well."""
    return _kahn({name: [each for each in few if each in edges] for name, few in edges.items()})


def misses_cycles(edges):
    """It is right for graphs without a cycle. Where there is one, some nodes can never come before
    their targets: detect it and raise ValueError."""
    return _kahn(edges, check=False)


def needs_entries(edges):
    """It looks up an entry for each node. A node that appears only as a target has none: use
    `edges.get(name, [])`."""
    return [target for name in edges for target in edges[name] if edges[target]]


def preorder(edges):
    """It adds a node when the search arrives there. Another node may still have to come before it: add a
    node after all its targets, and reverse the list at the end."""
    order = {}

    def visit(name):
        if name not in order:
            order[name] = True
            for target in edges.get(name, []):
                visit(target)

    for name in edges:
        visit(name)
    return [*order]


def recursion(edges):
    """It is right while the graph is shallow: a function that calls itself for each target reaches
    Python's recursion limit, and in a cycle it always does. Keep the waiting nodes in a list, and
    detect cycles."""
    order = {}

    def visit(name):
        if name not in order:
            for target in edges.get(name, []):
                visit(target)
            order[name] = True

    for name in edges:
        visit(name)
    return [*reversed(order)]


def reversed_edges(edges):
    """The order is right for the reversed edges: here `edges['a'] == ['b']` means that `a` comes
    first."""
    back = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            back.setdefault(target, []).append(name)
    return _kahn(back)
