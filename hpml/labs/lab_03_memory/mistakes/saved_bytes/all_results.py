"""It counts the result of every layer. A linear layer saves its input, for the gradient of its
weight; its result matters to nobody, unless the next layer saves it."""

import torch


def saved_bytes(model: torch.nn.Sequential, x: torch.Tensor) -> int:
    kept = 0
    for layer in model:
        x = layer(x)
        kept += x.numel() * x.element_size()
    return kept
