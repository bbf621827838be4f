"""The value is right, but the operations were not executed in the given order. Nobody needs to be
asked any more: `order` has settled it."""


def ordered_forward(order: list, parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [
            parent for parent in parents[name] if name not in values and parent not in values
        ]
        if name in values:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
