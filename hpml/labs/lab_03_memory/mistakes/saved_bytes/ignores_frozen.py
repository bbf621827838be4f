"""It counts as if every layer were trained. The input is needed for the gradient of a weight; a
frozen weight has none. And where nothing before a layer is trained, no gradient passes through it.
"""

import torch


def saved_bytes(model, x) -> int:
    kept = {}
    trained = False
    for layer in model:
        y = layer(x)
        if isinstance(layer, torch.nn.Linear):
            kept[id(x)] = x
            trained = True
        elif trained:
            saved = x if isinstance(layer, torch.nn.GELU) else y
            kept[id(saved)] = saved
        x = y
    return sum(tensor.nbytes for tensor in kept.values())
