"""Wrong answers to `predict_time`: each docstring is the diagnosis."""


def _cost(costs, execution):
    if execution not in costs:
        raise ValueError(f"costs has no execution {execution!r}, only {sorted(costs)}")
    return costs[execution]


def adds_it_once(n_layers, costs, execution):
    """It adds the execution's cost once. Each layer pays it."""
    return costs["start"] + n_layers * costs["layer"] + _cost(costs, execution)


def forgets_the_start(n_layers, costs, execution):
    """The start is missing. Each forward pays it once, even with no layers."""
    return n_layers * (costs["layer"] + _cost(costs, execution))


def key_error(n_layers, costs, execution):
    """It raises `KeyError`, as a dictionary does, but the exercise asks for a `ValueError`. Test
    whether `costs` contains the execution, and raise the error yourself."""
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])


def nameless_error(n_layers, costs, execution):
    """The type of the error is right. Put the execution's name into its message, so that the reader
    sees what was wrong."""
    if execution not in costs:
        raise ValueError("unknown execution")
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])


def unknown_is_free(n_layers, costs, execution):
    """It assumes that an execution missing from `costs` adds nothing. Its cost was not measured:
    raise a `ValueError` that names it."""
    return costs["start"] + n_layers * (costs["layer"] + costs.get(execution, 0.0))
