"""It takes the cost of `codegen`, whatever `execution` says."""


def predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float:
    if execution not in costs:
        raise ValueError(f"costs knows no execution {execution!r}, only {sorted(costs)}")
    return costs["start"] + n_layers * (costs["layer"] + costs["codegen"])
