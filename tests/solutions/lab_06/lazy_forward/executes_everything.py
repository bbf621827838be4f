def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    for name in parents:
        if parents[name]:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
