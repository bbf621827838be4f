def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    if execution not in costs:
        raise ValueError("unknown execution")
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])
