"""Each question that waits is a function call that has not returned, and Python allows only so
many of them. Keep those who wait in a list of your own, as in the table of steps."""


def lazy_forward(parents: dict, operations: dict, inputs: dict, output: str):
    values = dict(inputs)

    def ask(name):
        if name not in values:
            values[name] = operations[name](*[ask(parent) for parent in parents[name]])
        return values[name]

    return ask(output)
