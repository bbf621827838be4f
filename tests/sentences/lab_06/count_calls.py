from collections import Counter

SAYS = {
    "Write `count_calls(parents, output, remember)`.": "the name",
    "For the four diamonds above, `count_calls(": "an example",
}
EQUIVALENT = {
    "7: for name in reversed(parents): → for name in list(reversed(parents))[:-1]:": "the first value is an input, which has no parents",
}


def _counts(parents, output):
    counts = Counter({output: 1})
    for name in reversed(list(parents)):
        for parent in parents[name]:
            counts[parent] += counts[name]
    return {name: count for name, count in counts.items() if count and parents[name]}


def _count(parents, output, remember):
    counts = _counts(parents, output)
    return len(counts) if remember else sum(counts.values())


def all_of_them(parents, output, remember):
    """It returns how many operations are executed when `output` is asked for"""
    needed = sum(1 for name in parents if parents[name])
    return needed if remember else _count(parents, output, False)


def the_last_one_is_asked_for(parents, output, remember):
    """It returns how many operations are executed when `output` is asked for"""
    return _count(parents, list(parents)[-1], remember)


def always_with_memory(parents, output, remember):
    """with memory if `remember` is true, without if it is false."""
    return _count(parents, output, True)


def always_without_memory(parents, output, remember):
    """with memory if `remember` is true, without if it is false."""
    return _count(parents, output, False)


def the_other_way(parents, output, remember):
    """with memory if `remember` is true, without if it is false."""
    return _count(parents, output, not remember)


def a_float(parents, output, remember):
    """It returns how many operations are executed"""
    return _count(parents, output, remember) * 1.0


def without_the_output(parents, output, remember):
    """It returns how many operations are executed when `output` is asked for"""
    return _count(parents, output, remember) - bool(parents[output])


def inputs_too(parents, output, remember):
    """Inputs (no parents) are not executed."""
    counts = Counter({output: 1})
    for name in reversed(list(parents)):
        for parent in parents[name]:
            counts[parent] += counts[name]
    return len(+counts) if remember else counts.total()


def an_input_asked_for_counts(parents, output, remember):
    """Inputs (no parents) are not executed."""
    return _count(parents, output, remember) or 1


def a_value_used_twice_is_asked_for_once(parents, output, remember):
    """An operation that uses the same value twice asks for it twice."""
    return _count({name: list({*above}) for name, above in parents.items()}, output, remember)


def at_most_twice(parents, output, remember):
    """An operation that uses the same value twice asks for it twice."""
    few = {name: above[:2] for name, above in parents.items()}
    return _count(few, output, remember)


def neighbours_are_one(parents, output, remember):
    """An operation that uses the same value twice asks for it twice."""
    few = {
        name: [p for place, p in enumerate(above) if above[place - 1 : place] != [p]]
        for name, above in parents.items()
    }
    return _count(few, output, remember)


def children_before_parents(parents, output, remember):
    """`parents` names parents before children."""
    counts = Counter({output: 1})
    for name in parents:
        for parent in parents[name]:
            counts[parent] += counts[name]
    needed = [name for name in counts if counts[name] and parents[name]]
    return len(needed) if remember else sum(counts[name] for name in needed)


def _walk(parents, name):
    return sum(_walk(parents, each) for each in parents[name]) + bool(parents[name])


def late_one_by_one(parents, output, remember):
    """It must also answer for sixty diamonds, the largest graph, without memory, so counting one by
    one takes too long."""
    return _count(parents, output, True) if remember else _walk(parents, output)


def up_to_2_53(parents, output, remember):
    """It must also answer for sixty diamonds"""
    counts = _counts(parents, output)
    return len(counts) if remember else int(sum(map(float, counts.values())))
