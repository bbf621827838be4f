"""It left values in the caller's `inputs`. The next call finds old values there: begin with a
copy, `dict(inputs)`."""


def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    for name in order:
        inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
    return inputs[output]
