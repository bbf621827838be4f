import torch


def saved_bytes(model, x) -> int:
    kept = {}
    for layer in model:
        y = layer(x)
        if isinstance(layer, torch.nn.Linear):
            if layer.weight.requires_grad:
                kept[id(x)] = x
        elif x.requires_grad:
            saved = x if isinstance(layer, torch.nn.GELU) else y
            kept[id(saved)] = saved
        x = y
    return sum(tensor.nbytes for tensor in kept.values())
