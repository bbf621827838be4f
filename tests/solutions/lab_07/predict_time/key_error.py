def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])
