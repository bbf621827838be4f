SAYS = {"For example, `predict_time(100, {": "an example, which is a case"}
EQUIVALENT = {
    "3: sorted(costs) → costs": "it changes the text of the error after the name",
}


def _time(n_layers, costs, execution):
    if execution not in costs:
        raise ValueError(execution)
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])


def without_the_start(n_layers, costs, execution):
    """`"start"` is paid once per forward, `"layer"` once per layer."""
    return _time(n_layers, {**costs, "start": 0}, execution)


def the_start_for_each_layer(n_layers, costs, execution):
    """`"start"` is paid once per forward"""
    _time(n_layers, costs, execution)
    return n_layers * (costs["start"] + costs["layer"] + costs[execution])


def the_layer_once(n_layers, costs, execution):
    """`"layer"` once per layer."""
    _time(n_layers, costs, execution)
    return costs["start"] + costs["layer"] + n_layers * costs[execution]


def at_least_one_layer(n_layers, costs, execution):
    """`"layer"` once per layer."""
    return _time(max(1, n_layers), costs, execution)


def in_microseconds(n_layers, costs, execution):
    """`costs` contains times in seconds"""
    return 1e6 * _time(n_layers, costs, execution)


def to_a_nanosecond(n_layers, costs, execution):
    """`costs` contains times in seconds"""
    return round(_time(n_layers, costs, execution), 9)


def times_below_a_picosecond_are_zero(n_layers, costs, execution):
    """`costs` contains times in seconds"""
    found = _time(n_layers, costs, execution)
    return found if found > 1e-12 else 0.0


def the_execution_once(n_layers, costs, execution):
    """The entry under an execution's name is what that execution adds per layer."""
    _time(n_layers, costs, execution)
    return costs["start"] + n_layers * costs["layer"] + costs[execution]


def the_execution_instead_of_the_layer(n_layers, costs, execution):
    """is what that execution adds per layer."""
    _time(n_layers, costs, execution)
    return costs["start"] + n_layers * costs[execution]


def without_the_execution(n_layers, costs, execution):
    """The entry under an execution's name is what that execution adds"""
    _time(n_layers, costs, execution)
    return costs["start"] + n_layers * costs["layer"]


def in_any_capitals(n_layers, costs, execution):
    """The entry under an execution's name"""
    found = {name.lower(): cost for name, cost in costs.items()}
    return _time(n_layers, found, execution)


def unknown_is_free(n_layers, costs, execution):
    """Raise a `ValueError` that names the execution if `costs` does not contain it."""
    return _time(n_layers, {execution: 0.0, **costs}, execution)


def unknown_changes_the_costs(n_layers, costs, execution):
    """`costs` contains times in seconds"""
    costs.setdefault("handmade", 0.0)
    return _time(n_layers, costs, execution)


def a_key_error(n_layers, costs, execution):
    """Raise a `ValueError` that names the execution"""
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])


def without_the_name(n_layers, costs, execution):
    """Raise a `ValueError` that names the execution"""
    if execution not in costs:
        raise ValueError("unknown execution")
    return _time(n_layers, costs, execution)


def with_the_known_names(n_layers, costs, execution):
    """Raise a `ValueError` that names the execution"""
    if execution not in costs:
        raise ValueError(f"only {sorted(costs)}")
    return _time(n_layers, costs, execution)


def zero_is_unknown(n_layers, costs, execution):
    """if `costs` does not contain it."""
    if not costs.get(execution):
        raise ValueError(execution)
    return _time(n_layers, costs, execution)


def a_part_of_a_name_is_known(n_layers, costs, execution):
    """if `costs` does not contain it."""
    for name in costs:
        if execution in name:
            return _time(
                n_layers, {**costs, execution: costs.get(execution, costs[name])}, execution
            )
    return _time(n_layers, costs, execution)


def known_by_its_beginning(n_layers, costs, execution):
    """if `costs` does not contain it."""
    for name in costs:
        if execution.startswith(name):
            return _time(n_layers, costs, name)
    return _time(n_layers, costs, execution)


def no_layers_need_no_execution(n_layers, costs, execution):
    """if `costs` does not contain it."""
    return costs["start"] if n_layers == 0 else _time(n_layers, costs, execution)
