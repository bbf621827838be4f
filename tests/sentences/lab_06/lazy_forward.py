SAYS = {
    "Write this as `lazy_forward(parents, operations, inputs, output)`.": "the name",
    "For example, `lazy_forward(": "an example, which is a case",
}


def _forward(parents, operations, inputs, output, known=dict.__contains__, order=list):
    values, waiting = dict(inputs), [output]
    while waiting:
        name = waiting[-1]
        if known(values, name):
            waiting.pop()
            continue
        missing = [parent for parent in parents[name] if not known(values, parent)]
        if missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[each] for each in order(parents[name])])
    return values[output]


def the_last_value(parents, operations, inputs, output):
    """It returns the value of `output`."""
    name = [name for name in parents if parents[name]][-1]
    return _forward(parents, operations, inputs, name)


def all_values(parents, operations, inputs, output):
    """It returns the value of `output`."""
    return {output: _forward(parents, operations, inputs, output)}


def parents_sorted(parents, operations, inputs, output):
    """It returns the value of `output`."""
    return _forward(parents, operations, inputs, output, order=sorted)


def parents_backwards(parents, operations, inputs, output):
    """It returns the value of `output`."""
    return _forward(parents, operations, inputs, output, order=lambda few: few[::-1])


def each_parent_once(parents, operations, inputs, output):
    """It returns the value of `output`."""
    return _forward(parents, operations, inputs, output, order=dict.fromkeys)


def inputs_need_an_operation(parents, operations, inputs, output):
    """It returns the value of `output`."""
    return operations[output] and _forward(parents, operations, inputs, output)


def executes_all(parents, operations, inputs, output):
    """It executes only what is needed, and each operation once."""
    for name in operations:
        value = _forward(parents, operations, inputs, name)
        if name == output:
            found = value
    return found if output in operations else inputs[output]


def executes_the_rest_afterwards(parents, operations, inputs, output):
    """It executes only what is needed, and each operation once."""
    values = dict(inputs)
    waiting = [*operations, output]
    while waiting:
        name = waiting[-1]
        if name in values:
            waiting.pop()
            continue
        missing = [parent for parent in parents[name] if parent not in values]
        waiting += missing
        if not missing:
            values[name] = operations[name](*[values[each] for each in parents[name]])
    return values[output]


def executes_the_output_twice(parents, operations, inputs, output):
    """It executes only what is needed, and each operation once."""
    found = _forward(parents, operations, inputs, output)
    if output not in operations:
        return found
    again = {
        **inputs,
        **{each: _forward(parents, operations, inputs, each) for each in parents[output]},
    }
    return operations[output](*[again[each] for each in parents[output]])


def _asks(parents, operations, inputs, name):
    if name in inputs:
        return inputs[name]
    given = [_asks(parents, operations, inputs, each) for each in parents[name]]
    return operations[name](*given)


def without_memory(parents, operations, inputs, output):
    """and each operation once."""
    return _asks(parents, operations, inputs, output)


def executes_for_each_request(parents, operations, inputs, output):
    """and each operation once."""
    values, waiting = dict(inputs), [output]
    while waiting:
        name = waiting.pop()
        if name in inputs:
            continue
        missing = [parent for parent in parents[name] if parent not in values]
        if missing:
            waiting += [name, *missing]
        else:
            values[name] = operations[name](*[values[each] for each in parents[name]])
    return values[output]


def late_none_is_unknown(parents, operations, inputs, output):
    """A value may be `None`."""
    return _forward(
        parents, operations, inputs, output, known=lambda values, name: values.get(name) is not None
    )


def none_is_computed_again(parents, operations, inputs, output):
    """A value may be `None`."""
    values, waiting = dict(inputs), [output]
    while waiting:
        name = waiting[-1]
        if name in inputs or values.get(name) is not None:
            waiting.pop()
            continue
        missing = [parent for parent in parents[name] if parent not in values]
        if missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[each] for each in parents[name]])
            waiting.pop()
    return values[output]


def false_is_computed_again(parents, operations, inputs, output):
    """A value may be `None`."""
    values, waiting = dict(inputs), [output]
    while waiting:
        name = waiting[-1]
        if name in inputs or values.get(name):
            waiting.pop()
            continue
        missing = [parent for parent in parents[name] if parent not in values]
        if missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[each] for each in parents[name]])
            waiting.pop()
    return values[output]


def none_becomes_zero(parents, operations, inputs, output):
    """A value may be `None`."""
    found = _forward(parents, operations, inputs, output)
    return 0 if found is None else found


def an_input_that_is_none_is_missing(parents, operations, inputs, output):
    """A value may be `None`."""
    for name, value in inputs.items():
        if value is None:
            raise KeyError(name)
    return _forward(parents, operations, inputs, output)


def recursive(parents, operations, inputs, output):
    """It works in graphs of any depth, without changing Python's limit."""
    values = dict(inputs)

    def value_of(name):
        if name not in values:
            values[name] = operations[name](*[value_of(each) for each in parents[name]])
        return values[name]

    return value_of(output)


def of_five_thousand(parents, operations, inputs, output):
    """It works in graphs of any depth"""
    if len(parents) > 5_000:
        raise RecursionError
    return _forward(parents, operations, inputs, output)


def forbidden_limit(parents, operations, inputs, output):
    """It works in graphs of any depth, without changing Python's limit."""
    import sys

    sys.setrecursionlimit(100_000)
    return recursive(parents, operations, inputs, output)


def writes_into_inputs(parents, operations, inputs, output):
    """It leaves `inputs` unchanged."""
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [each for each in parents[name] if each not in inputs]
        if name in inputs:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            inputs[name] = operations[name](*[inputs[each] for each in parents[name]])
    return inputs[output]


def takes_the_inputs_out(parents, operations, inputs, output):
    """It leaves `inputs` unchanged."""
    found = _forward(parents, operations, inputs, output)
    inputs.clear()
    return found


def keeps_the_output_in_inputs(parents, operations, inputs, output):
    """It leaves `inputs` unchanged."""
    inputs[output] = _forward(parents, operations, inputs, output)
    return inputs[output]


def compares_with_none(parents, operations, inputs, output):
    """It returns the value of `output`."""
    missing = object()
    return _forward(
        parents,
        operations,
        inputs,
        output,
        known=lambda values, name: not values.get(name, missing) == missing,
    )
