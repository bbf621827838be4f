def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    if output in inputs:
        return inputs[output]
    values = [lazy_forward(parents, operations, inputs, name) for name in parents[output]]
    return operations[output](*values)
