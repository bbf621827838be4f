"""A value that is known was computed again. Remember it: with each diamond the number of
executions doubles."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    if output in inputs:
        return inputs[output]
    values = [lazy_forward(parents, operations, inputs, name) for name in parents[output]]
    return operations[output](*values)
