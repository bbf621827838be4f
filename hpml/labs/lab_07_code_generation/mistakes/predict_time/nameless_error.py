"""The kind of the error is right. Put the execution's name into its text, so that one can see
what was wrong."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    if execution not in costs:
        raise ValueError("unknown execution")
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])
