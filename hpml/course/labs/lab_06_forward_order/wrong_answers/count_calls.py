"""Wrong answers to `count_calls`: each docstring is the diagnosis."""


def counts_every_operation(parents, output, remember):
    """It counts every operation of the graph once. Which of them does `output` need, and how often
    is each executed without memory?"""
    return sum(1 for name in parents if parents[name])


def counts_questions(parents, output, remember):
    """It counts requests. Inputs are requested too, but they are looked up: nothing is
    executed."""
    asked = {}
    for name, above in parents.items():
        asked[name] = 1 + sum(asked[parent] for parent in above)
    if not remember:
        return asked[output]
    needed = {output}
    for name in reversed(parents):
        if name in needed:
            needed.update(parents[name])
    return len(needed)


def ignores_remember(parents, output, remember):
    """It counts the same with and without memory. `remember` says which of the two is asked for."""
    often = {}
    for name, above in parents.items():
        often[name] = 1 + sum(often[parent] for parent in above) if above else 0
    return often[output]


def same_parent_once(parents, output, remember):
    """`b = a + a` asks for `a` twice, and without memory `a` is executed each time. Did you put the
    parents into a set?"""
    often, needed = {}, {output}
    for name, above in parents.items():
        often[name] = 1 + sum(often[parent] for parent in set(above)) if above else 0
    if not remember:
        return often[output]
    for name in reversed(parents):
        if name in needed:
            needed.update(parents[name])
    return sum(1 for name in needed if parents[name])
