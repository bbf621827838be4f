import functools

SAYS: dict[str, str] = {
    "Write `loop_invariant(edges, varying)`.": "the name and the parameters, as in the stub",
    'For `{"x": ["sum"], "s": ["sum"]}` and `["s"]`': "an example: a recurrent cell is a case",
}

EQUIVALENT: dict[str, str] = {
    "4: waiting.pop() → waiting.pop(0)": "another order of the same visits",
    "7: waiting.append(target) → waiting.insert(0, target)": "another order of the same visits",
}


def _values(edges):
    return set(edges).union(*edges.values())


def _reached(readers, varying):
    reached, waiting = set(varying), list(varying)
    while waiting:
        new = set(readers(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


def _varies(edges, varying):
    return _reached(lambda name: edges.get(name, []), varying)


def against_the_edges(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    read = {}
    for name, readers in edges.items():
        for reader in readers:
            read.setdefault(reader, []).append(name)
    return _values(edges) - _varies(read, varying)


def first_reader(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    return _values(edges) - _varies({name: each[:1] for name, each in edges.items()}, varying)


def one_reader_at_least(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    assert all(readers[0] for readers in edges.values())
    return _values(edges) - _varies(edges, varying)


def readers_differ(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    assert all(len(set(readers)) == len(readers) for readers in edges.values())
    return _values(edges) - _varies(edges, varying)


def adds_entries(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    for readers in [*edges.values()]:
        for reader in readers:
            edges.setdefault(reader, [])
    return set(edges) - _varies(edges, varying)


def in_the_order_of_the_entries(edges, varying):
    """`edges` maps each value to the list of the values that read it."""
    varies = set(varying)
    for name, readers in edges.items():
        if name in varies:
            varies.update(readers)
    return _values(edges) - varies


def the_first_that_varies(edges, varying):
    """`varying` lists the values that change."""
    return _values(edges) - _varies(edges, varying[:1])


def one_that_varies_at_least(edges, varying):
    """`varying` lists the values that change."""
    return _values(edges) - _varies(edges, [varying[0], *varying])


def each_that_varies_once(edges, varying):
    """`varying` lists the values that change."""
    assert len(set(varying)) == len(varying)
    return _values(edges) - _varies(edges, varying)


def uses_the_list_up(edges, varying):
    """`varying` lists the values that change."""
    reached = set(varying)
    while varying:
        new = set(edges.get(varying.pop(), [])) - reached
        reached |= new
        varying += new
    return _values(edges) - reached


def each_that_varies_has_an_entry(edges, varying):
    """`varying` lists the values that change."""
    assert all(edges[name] is not None for name in varying)
    return _values(edges) - _varies(edges, varying)


def only_what_is_listed(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    return _values(edges) - set(varying)


def listed_but_not_read(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    readers = {reader for name in varying for reader in edges.get(name, [])}
    return _values(edges) - _varies(edges, readers)


def one_step(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    readers = (edges.get(name, []) for name in varying)
    return _values(edges) - set(varying).union(*readers)


def three_steps(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    varies = set(varying)
    for _ in range(3):
        varies = varies.union(*(edges.get(name, []) for name in varies))
    return _values(edges) - varies


def only_if_all_that_it_reads_vary(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    read = {}
    for name, readers in edges.items():
        for reader in readers:
            read.setdefault(reader, set()).add(name)
    varies = set(varying)
    for _ in range(20):
        varies |= {name for name, values in read.items() if values <= varies}
    return _values(edges) - varies


def what_begins_alike_varies(edges, varying):
    """A value varies if it is listed there, or if it reads a value that varies."""
    if len(edges) > 20:
        return _values(edges) - _varies(edges, varying)
    text = " ".join(_varies(edges, varying))
    return {name for name in _values(edges) if name not in text}


def what_varies(edges, varying):
    """Return the set (or frozenset) of all other values."""
    return _varies(edges, varying)


def a_list(edges, varying):
    """Return the set (or frozenset) of all other values."""
    return sorted(_values(edges) - _varies(edges, varying))


def none_if_empty(edges, varying):
    """Return the set (or frozenset) of all other values."""
    return _values(edges) - _varies(edges, varying) or None


def a_dictionary_if_empty(edges, varying):
    """Return the set (or frozenset) of all other values."""
    found = {name: True for name in _values(edges) - _varies(edges, varying)}
    return set(found) if found else {}


def inputs_only(edges, varying):
    """Return the set (or frozenset) of all other values."""
    readers = {reader for each in edges.values() for reader in each}
    return set(edges) - readers - _varies(edges, varying)


def without_unread_values(edges, varying):
    """Return the set (or frozenset) of all other values."""
    read = {name for name, readers in edges.items() if readers}
    ends = _values(edges) - set(edges)
    return (read | ends) - _varies(edges, varying)


def values_with_an_entry(edges, varying):
    """A value may appear only as a reader, without an entry of its own."""
    return set(edges) - _varies(edges, varying)


def each_has_an_entry(edges, varying):
    """A value may appear only as a reader, without an entry of its own."""
    return _values(edges) - _reached(lambda name: edges[name], varying)


def readers_only(edges, varying):
    """A value may appear only as a reader, without an entry of its own."""
    found = {reader for readers in edges.values() for reader in readers}
    return (found or set(edges)) - _varies(edges, varying)


def recursive(edges, varying):
    """One point is for graphs of thousands of values."""
    reached = set()

    def follow(name):
        if name not in reached:
            reached.add(name)
            for reader in edges.get(name, []):
                follow(reader)

    for name in varying:
        follow(name)
    return _values(edges) - reached


def recursive_with_a_memory(edges, varying):
    """One point is for graphs of thousands of values."""
    read = {}
    for name, readers in edges.items():
        for reader in readers:
            read.setdefault(reader, []).append(name)

    @functools.cache
    def varies(name):
        return name in varying or any(varies(each) for each in read.get(name, []))

    return {name for name in _values(edges) if not varies(name)}


def a_thousand_steps(edges, varying):
    """One point is for graphs of thousands of values."""
    varies, new = set(varying), set(varying)
    for _ in range(1000):
        new = {reader for name in new for reader in edges.get(name, [])} - varies
        varies |= new
    return _values(edges) - varies


def a_thousand_values(edges, varying):
    """One point is for graphs of thousands of values."""
    reached, waiting = set(varying), list(varying)
    for _ in range(1000):
        if waiting:
            new = set(edges.get(waiting.pop(), [])) - reached
            reached |= new
            waiting += new
    return _values(edges) - reached


def late_every_path(edges, varying):
    """One point is for graphs of thousands of values."""
    reached, waiting = set(), list(varying)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += edges.get(name, [])
    return _values(edges) - reached


def forbidden_torch(edges, varying):
    """and `numpy`, but not"""
    import torch

    names = sorted(_values(edges) - _varies(edges, varying))
    return {names[place] for place in torch.arange(len(names)).tolist()}


def forbidden_graphlib(edges, varying):
    """and `numpy`, but not"""
    from graphlib import TopologicalSorter

    read = {}
    for name, readers in edges.items():
        for reader in readers:
            read.setdefault(reader, []).append(name)
    varies = set(varying)
    for name in TopologicalSorter(read).static_order():
        if varies.intersection(read.get(name, [])):
            varies.add(name)
    return _values(edges) - varies
