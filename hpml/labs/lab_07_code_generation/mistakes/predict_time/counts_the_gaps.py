"""Between 100 layers there are 99 gaps, but somebody also has to find the first layer: what the
execution adds is paid once for each layer."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    if execution not in costs:
        raise ValueError(f"costs knows no execution {execution!r}, only {sorted(costs)}")
    return costs["start"] + n_layers * costs["layer"] + (n_layers - 1) * costs[execution]
