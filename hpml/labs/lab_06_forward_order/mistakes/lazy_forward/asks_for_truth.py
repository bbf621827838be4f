"""It takes a value of 0 for one that is not known. Ask with `in` whether a name is known."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    waiting = [output]
    while waiting:
        name = waiting[-1]
        if values.get(name):
            waiting.pop()
            continue
        missing = [parent for parent in parents[name] if not values.get(parent)]
        if missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
