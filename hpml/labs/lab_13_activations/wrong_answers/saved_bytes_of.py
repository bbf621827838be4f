"""Wrong answers to `saved_bytes_of`: each docstring is the diagnosis."""


def _sizes(operations):
    return {"x": 4} | {name: 1 if operation == "less" else 4 for name, operation, _ in operations}


def _saved(operations, *, both=False, choices=False, saves_result=("reciprocal", "relu", "exp")):
    needs, saved = {"x"}, []
    for result, operation, operands in operations:
        if (operation == "less" and not choices) or not needs.intersection(operands):
            continue
        needs.add(result)
        if operation == "mul":
            first, second = operands
            saved += [second] if both or first in needs else []
            saved += [first] if both or second in needs else []
        elif operation in saves_result:
            saved.append(result)
        elif operation in ("clamp", "hardswish", "where"):
            saved.append(operands[0])
    return saved


def _bytes(operations, saved):
    sizes = _sizes(operations)
    return sum(sizes.get(name, 0) for name in saved)


def both_factors(operations):
    """A product saves a factor for the gradient of the *other* one. If the other one needs no
    gradient, like a choice, nothing is saved for it."""
    return _bytes(operations, set(_saved(operations, both=True)))


def choice_needs_a_gradient(operations):
    """The result of `less` needs no gradient, although its operand does: a product with it saves only
    the choice."""
    return _bytes(operations, set(_saved(operations, choices=True)))


def choice_of_four_bytes(operations):
    """The result of `less` is true or false: one byte each, not four."""
    return 4 * len({*_saved(operations)} & {*_sizes(operations)})


def counted_twice(operations):
    """A tensor that two operations save is in memory once. Collect names in a set."""
    return _bytes(operations, _saved(operations))


def every_result(operations):
    """It counts every result. Autograd saves only what a gradient will be computed from."""
    return sum(1 if operation == "less" else 4 for _, operation, _ in operations)


def results_for_inputs(operations):
    """It saves the result of an operation whose operand is needed. The slope of `hardswish` and
    `clamp` depends on where the operand is, and the result does not always tell."""
    results = ("reciprocal", "relu", "exp", "clamp", "hardswish")
    return _bytes(operations, set(_saved(operations, saves_result=results)))
