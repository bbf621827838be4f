"""Wrong answers to `lazy_forward`: each docstring is the diagnosis."""


def _forward(parents, operations, values, output, known=dict.__contains__):
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in parents[name] if not known(values, parent)]
        if known(values, name):
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def asks_for_truth(parents, operations, inputs, output):
    """It takes a value of 0 for one that is not known. Ask with `in` whether a name is known."""
    return _forward(parents, operations, dict(inputs), output, known=dict.get)


def executes_everything(parents, operations, inputs, output):
    """It went through the whole graph, from its first entry on. Begin at `output`: execute what it
    needs, and nothing else; nor do parents always stand before children."""
    values = dict(inputs)
    for name in parents:
        if parents[name]:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def fills_inputs(parents, operations, inputs, output):
    """It left values in the caller's `inputs`. The next call finds old values there: begin with a
    copy, `dict(inputs)`."""
    return _forward(parents, operations, inputs, output)


def forgets_who_asked(parents, operations, inputs, output):
    """`output` was never executed: a value that lacks a parent is taken off the list and never
    comes back to it when its parents are known. Leave it there, below what it lacks, until its own
    value is known."""
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


def no_memory(parents, operations, inputs, output):
    """A value that is known was computed again. Remember it: with each diamond the number of
    executions doubles."""
    if output in inputs:
        return inputs[output]
    values = [no_memory(parents, operations, inputs, name) for name in parents[output]]
    return operations[output](*values)


def recursion(parents, operations, inputs, output):
    """Each question that waits is a function call that has not returned, and Python allows only so
    many of them. Keep those who wait in a list of your own, as in the table of steps."""
    values = dict(inputs)

    def ask(name):
        if name not in values:
            values[name] = operations[name](*[ask(parent) for parent in parents[name]])
        return values[name]

    return ask(output)
