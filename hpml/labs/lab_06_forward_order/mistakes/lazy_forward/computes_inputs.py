"""An input may be asked for, and it has no operation. Look first whether a value is known; only
then at its parents and its operation."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    executed = set()
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in parents[name] if parent not in values]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if name not in executed:
            executed.add(name)
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
