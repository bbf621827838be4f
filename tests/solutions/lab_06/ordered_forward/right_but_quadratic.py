def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    names, values = list(inputs), list(inputs.values())
    for name in order:
        arguments = [values[names.index(parent)] for parent in parents[name]]
        names.append(name)
        values.append(operations[name](*arguments))
    return values[names.index(output)]
