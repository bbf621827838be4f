"""Wrong answers to `saved_bytes_of`: each docstring is the diagnosis."""


def _sizes(operations):
    return {"x": 4} | {name: 1 if operation == "less" else 4 for name, operation, _ in operations}


def _saved(operations, *, both=False, saves_result=("reciprocal", "relu", "exp")):
    needs, saved = {"x"}, []
    for result, operation, operands in operations:
        if operation == "less" or not needs.intersection(operands):
            continue
        needs.add(result)
        if operation == "mul":
            first, second = operands
            saved += [second] if both or first in needs else []
            saved += [first] if both or second in needs else []
        elif operation in saves_result:
            saved.append(result)
        elif operation != "add":
            saved.append(operands[0])
    return saved


def _bytes(operations, saved):
    sizes = _sizes(operations)
    return sum(sizes.get(name, 0) for name in saved)


def both_factors(operations):
    """A product saves a factor for the gradient of the *other* one. If the other one needs no
    gradient, like a choice, nothing is saved for it."""
    return _bytes(operations, set(_saved(operations, both=True)))


def choice_of_four_bytes(operations):
    """The result of `less` is true or false: one byte each, not four."""
    return 4 * len({*_saved(operations)} & {*_sizes(operations)})


def counted_twice(operations):
    """A tensor that two operations save is in memory once. Collect names in a set."""
    return _bytes(operations, _saved(operations))


def own_factor(operations):
    """A product saves a factor if the *other* one needs a gradient, not if it needs one itself."""
    saved = set(_saved(operations, both=True))
    needs = {"x"}
    for result, operation, operands in operations:
        if operation != "less" and needs.intersection(operands):
            needs.add(result)
    choices = {o[0] for _, n, o in operations if n == "where"}
    return _bytes(operations, {name for name in saved if name in needs or name in choices})


def every_result(operations):
    """It counts every result. Autograd saves only what a gradient will be computed from."""
    return sum(1 if operation == "less" else 4 for _, operation, _ in operations)


def inputs_for_results(operations):
    """It saves what `reciprocal`, `relu` or `exp` reads. Their slopes are computed from the result,
    so they save the result."""
    return _bytes(operations, set(_saved(operations, saves_result=())))
