"""Wrong answers to `ordered_forward`: each docstring is the diagnosis."""


def follows_the_dictionary(order, parents, operations, inputs, output):
    """It goes through `operations` or `parents`, whose entries are in another order. `order` says what
    comes next."""
    values = dict(inputs)
    for name in operations:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def last_value(order, parents, operations, inputs, output):
    """It returned the value of the last operation in the order. `output` names the value asked
    for."""
    values = dict(inputs)
    for name in order:
        result = operations[name](*[values[parent] for parent in parents[name]])
        values[name] = result
    return result


def stops_at_output(order, parents, operations, inputs, output):
    """It returns as soon as `output` is known. The operations after it in the order must be
    executed too: this forward follows its order and decides nothing."""
    values = dict(inputs)
    for name in order:
        if output in values:
            break
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def writes_into_inputs(order, parents, operations, inputs, output):
    """It left values in the caller's `inputs`. The next call finds old values there: begin with a
    copy, `dict(inputs)`."""
    for name in order:
        inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
    return inputs[output]
