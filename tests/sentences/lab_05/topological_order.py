SAYS = {
    "Write `topological_order(edges)`.": "the name",
    "Any topological order is right.": "a permission: the solutions beside this give two orders",
    "Section 6 and lab 07 will use your function.": "where it is used",
    "For example, `topological_order({": "an example, which is a case",
}
EQUIVALENT = {
    "6: count == 0 → count <= 0": "a count is not negative",
    "10: waits[target] == 0 → waits[target] <= 0": "it is lowered as often as it was raised, so it is not negative",
}


def _order(edges, twice=True, entries=True, cycles=True):
    waits = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in targets:
            if entries or target in edges:
                waits[target] = waits.get(target, 0) + 1
    order = [name for name, count in waits.items() if count == 0]
    for name in order:
        for target in edges.get(name, ()) if twice else dict.fromkeys(edges.get(name, ())):
            if target in waits:
                waits[target] -= 1
                if waits[target] == 0:
                    order.append(target)
    if cycles and len(order) < len(waits):
        raise ValueError("a cycle")
    return order


def backwards(edges):
    """It returns a list with every node of a graph once, each before its targets"""
    return _order(edges)[::-1]


def as_listed(edges):
    """each before its targets: `edges["a"] == ["b", "c"]` puts `a` before `b` and `c`."""
    _order(edges)
    return list(dict.fromkeys([*edges, *(t for targets in edges.values() for t in targets)]))


def the_edges_the_other_way(edges):
    """`edges["a"] == ["b", "c"]` puts `a` before `b` and `c`."""
    back = {name: [] for name in _order(edges)}
    for name, targets in edges.items():
        for target in targets:
            back[target].append(name)
    return _order(back)


def with_the_last_one_twice(edges):
    """It returns a list with every node of a graph once"""
    order = _order(edges)
    return [*order, *order[-1:]]


def a_generator(edges):
    """It returns a list with every node of a graph once"""
    return iter(_order(edges))


def without_targets_that_have_no_entry(edges):
    """A node may appear only as a target, without an entry of its own."""
    return _order(edges, entries=False)


def needs_entries(edges):
    """A node may appear only as a target, without an entry of its own."""
    for targets in edges.values():
        for target in targets:
            edges[target]
    return _order(edges)


def adds_entries(edges):
    """A node may appear only as a target, without an entry of its own."""
    for targets in list(edges.values()):
        for target in targets:
            edges.setdefault(target, [])
    return _order(edges)


def waits_for_both(edges):
    """A target may be listed twice."""
    return _order(edges, twice=False)


def the_first_visit_counts(edges):
    """each before its targets"""
    _order(edges)
    order = {}

    def visit(start):
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in order:
                order[name] = None
                waiting += edges.get(name, ())

    for name in edges:
        visit(name)
    return list(order)


def without_the_nodes_of_a_cycle(edges):
    """A graph with a cycle has none: raise `ValueError`."""
    return _order(edges, cycles=False)


def a_key_error(edges):
    """A graph with a cycle has none: raise `ValueError`."""
    try:
        return _order(edges)
    except ValueError as error:
        raise KeyError(str(error)) from None


def nothing_for_a_cycle(edges):
    """A graph with a cycle has none: raise `ValueError`."""
    try:
        return _order(edges)
    except ValueError:
        return []


def no_node_before_itself(edges):
    """A graph with a cycle has none: raise `ValueError`."""
    return _order({name: [t for t in targets if t != name] for name, targets in edges.items()})


def only_without_a_start(edges):
    """A graph with a cycle has none: raise `ValueError`."""
    order = _order(edges, cycles=False)
    if edges and not order:
        raise ValueError("a cycle")
    return order


def _visit(edges, name, open_, done):
    if name in open_:
        raise ValueError("a cycle")
    if name not in done:
        open_.add(name)
        for target in edges.get(name, ()):
            _visit(edges, target, open_, done)
        open_.discard(name)
        done[name] = None


def recursive(edges):
    """A function that calls itself reaches Python's recursion limit there."""
    done = {}
    for name in edges:
        _visit(edges, name, set(), done)
    return list(done)[::-1]


def of_at_most_ten_thousand(edges):
    """A chain of 40,000 nodes is tried."""
    if len(edges) > 10_000:
        raise RecursionError
    return _order(edges)


def deep_is_a_cycle(edges):
    """A chain of 40,000 nodes is tried."""
    try:
        return recursive(edges)
    except RecursionError:
        raise ValueError("a cycle") from None


def late_searches_all(edges):
    """One that searches the whole graph for every node is too slow."""
    nodes = dict.fromkeys([*edges, *(t for targets in edges.values() for t in targets)])
    order = []
    while nodes:
        for name in nodes:
            if not any(name in edges.get(other, ()) for other in nodes):
                break
        else:
            raise ValueError("a cycle")
        order.append(name)
        del nodes[name]
    return order


def forbidden_library(edges):
    """and `numpy`, but not"""
    import graphlib

    return [*graphlib.TopologicalSorter(edges).static_order()][::-1]
