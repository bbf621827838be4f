SAYS = {
    "Write `dead_nodes(edges, outputs)`.": "the name",
    "If they change nothing else, they need not be computed.": "what it is for",
    "For example, `dead_nodes({": "an example",
}
EQUIVALENT = {
    "5: before.setdefault(target, []).append(name) → before.setdefault(target, []).insert(0, name)": "the order of visits is free",
    "8: waiting.pop() → waiting.pop(0)": "the order of visits is free",
    "11: waiting.append(name) → waiting.insert(0, name)": "the order of visits is free",
}


def _nodes(edges):
    return {*edges, *(target for targets in edges.values() for target in targets)}


def _live(edges, outputs):
    before = {}
    for name, targets in edges.items():
        for target in targets:
            before.setdefault(target, []).append(name)
    live, waiting = set(outputs), list(outputs)
    while waiting:
        for name in before.get(waiting.pop(), ()):
            if name not in live:
                live.add(name)
                waiting.append(name)
    return live


def the_live_ones(edges, outputs):
    """It returns the set of the nodes from which no output can be reached along the edges"""
    return _nodes(edges) & _live(edges, outputs)


def a_list(edges, outputs):
    """It returns the set of the nodes"""
    return sorted(_nodes(edges) - _live(edges, outputs))


def one_step_back(edges, outputs):
    """from which no output can be reached along the edges"""
    return {n for n in _nodes(edges) - {*outputs} if not {*edges.get(n, ())} & {*outputs}}


def one_pass_backwards(edges, outputs):
    """from which no output can be reached along the edges"""
    live = set(outputs)
    for name in reversed(list(edges)):
        if live & {*edges[name]}:
            live.add(name)
    return _nodes(edges) - live


def by_the_first_target(edges, outputs):
    """from which no output can be reached along the edges"""
    return _nodes(edges) - _live({n: targets[:1] for n, targets in edges.items()}, outputs)


def against_the_edges(edges, outputs):
    """from which no output can be reached along the edges"""
    back = {name: [n for n in edges if name in edges[n]] for name in _nodes(edges)}
    return _nodes(edges) - _live(back, outputs)


def of_the_last_output(edges, outputs):
    """from which no output can be reached along the edges"""
    return _nodes(edges) - _live(edges, outputs[-1:])


def ends_only(edges, outputs):
    """from which no output can be reached along the edges"""
    return {name for name in _nodes(edges) - {*outputs} if not edges.get(name)}


def live_if_a_name_contains_it(edges, outputs):
    """from which no output can be reached along the edges"""
    live = " ".join(_live(edges, outputs))
    return {name for name in _nodes(edges) if name not in live}


def with_entries_only(edges, outputs):
    """The edges are as before, without cycles."""
    return {*edges} - _live(edges, outputs)


def each_target_once(edges, outputs):
    """The edges are as before, without cycles."""
    for targets in edges.values():
        if len({*targets}) < len(targets):
            raise ValueError("listed twice")
    return _nodes(edges) - _live(edges, outputs)


def outputs_that_lead_on_are_dead(edges, outputs):
    """An output is never dead, whether or not a node follows it."""
    dead = _nodes(edges) - _live(edges, outputs)
    return dead | {name for name in outputs if {*edges.get(name, ())} & dead}


def outputs_without_targets_are_dead(edges, outputs):
    """An output is never dead, whether or not a node follows it."""
    dead = _nodes(edges) - _live(edges, outputs)
    return dead | {name for name in outputs if name in edges and not edges[name]}


def after_an_output_is_live(edges, outputs):
    """An output is never dead"""
    live = _live(edges, outputs)
    return _nodes(edges) - live - {t for name in outputs for t in edges.get(name, ())}


def _reaches(edges, name, outputs):
    return name in outputs or any(_reaches(edges, each, outputs) for each in edges.get(name, ()))


def late_walks_every_path(edges, outputs):
    """Do not follow every path: the largest case has some 180 nodes and 2⁶⁰ paths."""
    return {name for name in _nodes(edges) if not _reaches(edges, name, {*outputs})}


def changes_the_outputs(edges, outputs):
    """It returns the set of the nodes"""
    live = _live(edges, outputs)
    outputs.extend(live - {*outputs})
    return _nodes(edges) - live
