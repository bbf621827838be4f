"""The start is paid once a forward, not once for each layer."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    if execution not in costs:
        raise ValueError(f"costs knows no execution {execution!r}, only {sorted(costs)}")
    return n_layers * (costs["start"] + costs["layer"] + costs[execution])
