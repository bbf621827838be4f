"""GELU's slope cannot be computed from its result: it saves its input. ReLU and tanh save what they
return."""

LIKE = "counts_parameters"
CHANGES = {
    "saved = x if isinstance(layer, torch.nn.GELU) else y": "saved = y",
    " + parameters": "",
}
