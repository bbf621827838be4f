"""It raises KeyError, as a dictionary does. Whoever calls knows nothing of your dictionary: ask
whether `costs` has the execution, and raise a ValueError of your own."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    return costs["start"] + n_layers * (costs["layer"] + costs[execution])
