"""`output` was never executed: whoever lacks something is taken off the list, and nobody comes
back to it when its parents are known. Leave it there, below what it lacks, until its own value is
known."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    waiting = [output]
    while waiting:
        name = waiting.pop()
        missing = [parent for parent in parents[name] if parent not in values]
        if missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
