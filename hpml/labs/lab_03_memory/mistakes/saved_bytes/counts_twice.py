"""A ReLU saves its result, and the next linear layer saves its input. That is one tensor, so it is
kept once."""

import torch


def saved_bytes(model, x) -> int:
    kept = 0
    for layer in model:
        y = layer(x)
        if isinstance(layer, torch.nn.Linear):
            kept += x.nbytes if layer.weight.requires_grad else 0
        elif x.requires_grad:
            kept += x.nbytes if isinstance(layer, torch.nn.GELU) else y.nbytes
        x = y
    return kept
