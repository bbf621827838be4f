"""Wrong answers to `saved_bytes_of`: each docstring is the diagnosis."""


def _sizes(operations):
    return {"x": 4} | {name: 1 if operation == "less" else 4 for name, operation, _ in operations}


_RESULTS = ("reciprocal", "relu", "exp")


def _saved(
    operations, *, both=False, own=False, choices=False, constants=False, saves_result=_RESULTS
):
    needs, saved = {"x"}, []
    for result, operation, operands in operations:
        if operation == "less" and not choices:
            continue
        if not constants and not needs.intersection(operands):
            continue
        needs.add(result)
        if operation == "mul":
            first, second = operands
            for_first, for_second = operands if own else (second, first)
            saved += [for_first] if both or first in needs else []
            saved += [for_second] if both or second in needs else []
        elif operation in saves_result:
            saved.append(result)
        elif operation not in ("add", "less"):
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


def constants_need_a_gradient(operations):
    """A result that is computed from choices and numbers alone needs no gradient: no path leads from
    it back to `x`. A product saves nothing for it."""
    return _bytes(operations, set(_saved(operations, constants=True)))


def counted_twice(operations):
    """A tensor that two operations save is in memory once. Collect names in a set."""
    return _bytes(operations, _saved(operations))


def every_result(operations):
    """It counts every result. Autograd saves only what a gradient will be computed from."""
    return sum(1 if operation == "less" else 4 for _, operation, _ in operations)


def forgets_where(operations):
    """`where` saves its condition, one byte for each number: the gradient goes the same way as the
    value."""
    choices = {name for name, operation, _ in operations if operation == "less"}
    products = {name for _, operation, read in operations if operation == "mul" for name in read}
    return _bytes(operations, set(_saved(operations)) - (choices - products))


def inputs_for_results(operations):
    """It saves what `reciprocal`, `relu` or `exp` reads. Their slopes are computed from the result,
    so they save the result."""
    return _bytes(operations, set(_saved(operations, saves_result=())))


def numbers_too(operations):
    """It counts a number, such as 3, as if it were a tensor. Only tensors are saved."""
    return sum(_sizes(operations).get(name, 4) for name in set(_saved(operations)))


def own_factor(operations):
    """A product saves a factor for the gradient of the *other* one: in `a * b`, the gradient of `a`
    is computed from `b`. Your version asks whether a factor itself needs a gradient."""
    return _bytes(operations, set(_saved(operations, own=True)))


def results_for_inputs(operations):
    """It saves the result of an operation whose operand is needed. The slope of `hardswish` and
    `clamp` depends on where the operand is, and the result does not always tell."""
    results = ("reciprocal", "relu", "exp", "clamp", "hardswish")
    return _bytes(operations, set(_saved(operations, saves_result=results)))
