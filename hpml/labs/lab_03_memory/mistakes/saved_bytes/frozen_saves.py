"""A frozen layer counts like a trained one. It saves its input for the gradient of its weight, and a
frozen weight has none."""

LIKE = "counts_parameters"
CHANGES = {"if layer.weight.requires_grad:": "if layer.weight is not None:", " + parameters": ""}
