"""GELU's slope cannot be computed from its result: it saves its input. ReLU and tanh save what they
return."""

import torch


def saved_bytes(model, x) -> int:
    kept = {}
    for layer in model:
        y = layer(x)
        if isinstance(layer, torch.nn.Linear):
            if layer.weight.requires_grad:
                kept[id(x)] = x
        elif x.requires_grad:
            kept[id(y)] = y
        x = y
    return sum(tensor.nbytes for tensor in kept.values())
