"""It went through the whole graph, from its first entry on. Begin at `output`: execute what it
needs, and nothing else; nor do parents always stand before children."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)
    for name in parents:
        if parents[name]:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
