SAYS = {
    "With the order given, what is left of the forward?": "the question of the section",
    "Write `ordered_forward(order, parents, operations, inputs, output)`.": "the name",
    "For example, `ordered_forward(": "an example, which is a case",
    "Labs 07 to 10 use your function too": "where it is used",
}


def _forward(order, parents, operations, inputs, output):
    values = dict(inputs)
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def only_what_is_needed(order, parents, operations, inputs, output):
    """It executes all operations in the given order, needed or not."""
    needed = {output}
    for name in reversed(order):
        if name in needed:
            needed.update(parents[name])
    return _forward([n for n in order if n in needed], parents, operations, inputs, output)


def up_to_the_output(order, parents, operations, inputs, output):
    """It executes all operations in the given order, needed or not."""
    end = order.index(output) + 1 if output in order else len(order)
    return _forward(order[:end], parents, operations, inputs, output)


def nothing_for_an_input(order, parents, operations, inputs, output):
    """It executes all operations in the given order, needed or not."""
    return (
        inputs[output] if output in inputs else _forward(order, parents, operations, inputs, output)
    )


def nothing_again_if_it_is_none(order, parents, operations, inputs, output):
    """It executes all operations in the given order"""
    values = dict(inputs)
    for name in order:
        while values.get(name) is None:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
            if values[name] is None:
                values[name] = operations[name](*[values[parent] for parent in parents[name]])
                break
    return values[output]


def false_values_twice(order, parents, operations, inputs, output):
    """It executes all operations in the given order"""
    values = dict(inputs)
    for name in order:
        given = [values[parent] for parent in parents[name]]
        values[name] = operations[name](*given) or operations[name](*given)
    return values[output]


def in_the_order_of_operations(order, parents, operations, inputs, output):
    """It executes all operations in the given order"""
    listed = [name for name in operations if name in order]
    values, waiting = dict(inputs), listed
    while waiting:
        for name in waiting:
            if all(parent in values for parent in parents[name]):
                break
        waiting.remove(name)
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def sorted_by_name(order, parents, operations, inputs, output):
    """It executes all operations in the given order"""
    values, waiting = dict(inputs), sorted(order)
    while waiting:
        name = next(n for n in waiting if all(parent in values for parent in parents[n]))
        waiting.remove(name)
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def without_the_last(order, parents, operations, inputs, output):
    """`order` names every value that is not an input."""
    return _forward(order[:-1], parents, operations, inputs, output)


def inputs_in_the_order_too(order, parents, operations, inputs, output):
    """`order` names every value that is not an input."""
    values = {}
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def the_last_value(order, parents, operations, inputs, output):
    """It returns the value of `output`, which may be an input."""
    return _forward(order, parents, operations, inputs, (order or [output])[-1])


def computed_values_only(order, parents, operations, inputs, output):
    """which may be an input."""
    values = dict(inputs)
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return {name: values[name] for name in order}[output]


def parents_sorted(order, parents, operations, inputs, output):
    """It returns the value of `output`"""
    few = {name: sorted(above) for name, above in parents.items()}
    return _forward(order, few, operations, inputs, output)


def each_parent_once(order, parents, operations, inputs, output):
    """It returns the value of `output`"""
    few = {name: list(dict.fromkeys(above)) for name, above in parents.items()}
    return _forward(order, few, operations, inputs, output)


def none_is_no_value(order, parents, operations, inputs, output):
    """It returns the value of `output`"""
    return _forward(order, parents, operations, inputs, output) or 0


def an_input_that_is_none_is_missing(order, parents, operations, inputs, output):
    """It returns the value of `output`"""
    given = {name: value for name, value in inputs.items() if value is not None}
    return _forward(order, parents, operations, given, output)


def writes_into_inputs(order, parents, operations, inputs, output):
    """It leaves `inputs` unchanged."""
    for name in order:
        inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
    return inputs[output]


def takes_the_order_apart(order, parents, operations, inputs, output):
    """It leaves `inputs` unchanged."""
    found = _forward(order, parents, operations, inputs, output)
    for name in [*inputs]:
        del inputs[name]
    return found


def slow_copies(order, parents, operations, inputs, output):
    """the work per operation must not grow with the number of operations."""
    values = dict(inputs)
    for name in order:
        values = {**values, name: operations[name](*[values[each] for each in parents[name]])}
    return values[output]
