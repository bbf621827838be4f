"""That is the value of the last operation in the order; `output` says which one is asked for."""


def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    for name in order:
        result = operations[name](*[values[parent] for parent in parents[name]])
        values[name] = result
    return result
