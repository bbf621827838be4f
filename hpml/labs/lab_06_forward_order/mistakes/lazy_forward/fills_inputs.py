"""It left values in the caller's `inputs`. The next call finds old values there: begin with a
copy, `dict(inputs)`."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in parents.get(name, []) if parent not in inputs]
        if name in inputs:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
    return inputs[output]
