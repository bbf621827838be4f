"""Wrong answers to `lazy_forward`: each docstring is the diagnosis."""


def executes_everything(parents, operations, inputs, output):
    """It went through the whole graph, from its first entry on. Begin at `output` and execute only
    what it needs. Also, `parents` does not always name parents before children."""
    values = dict(inputs)
    for name in parents:
        if parents[name]:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def fills_inputs(parents, operations, inputs, output):
    """It left values in the caller's `inputs`. The next call finds old values there: begin with a
    copy, `dict(inputs)`."""
    waiting = [output]
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in parents[name] if parent not in inputs]
        if name in inputs:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
    return inputs[output]


def forgets_who_asked(parents, operations, inputs, output):
    """`output` was never executed: a name with missing parents is taken off the list and never put
    back. Leave it there, below its missing parents, until its own value is known."""
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
    """A known value was computed again. Store each value, and look for it before you compute it:
    without memory, each diamond doubles the number of executions."""
    if output in inputs:
        return inputs[output]
    values = [no_memory(parents, operations, inputs, name) for name in parents[output]]
    return operations[output](*values)


def recursion(parents, operations, inputs, output):
    """Each waiting request is a function call that has not returned, and Python limits their
    number. Keep the waiting values in a list of your own, as in the table of steps."""
    values = dict(inputs)

    def ask(name):
        if name not in values:
            values[name] = operations[name](*[ask(parent) for parent in parents[name]])
        return values[name]

    return ask(output)
