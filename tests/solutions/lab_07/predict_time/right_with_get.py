def predict_time(n_layers, costs, execution):
    added = costs.get(execution)
    if added is None:
        raise ValueError("no cost of " + execution)
    layers = n_layers * costs["layer"] + n_layers * added
    return layers + costs["start"]
