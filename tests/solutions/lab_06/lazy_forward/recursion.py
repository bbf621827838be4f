def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)

    def ask(name):
        if name not in values:
            values[name] = operations[name](*[ask(parent) for parent in parents[name]])
        return values[name]

    return ask(output)
