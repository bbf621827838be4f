def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
