"""It returns as soon as `output` is known. The operations behind it in the order are to be executed
too: this forward follows its order and decides nothing.
"""


def ordered_forward(order, parents, operations, inputs, output):
    values = dict(inputs)
    for name in order:
        if output in values:
            break
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
