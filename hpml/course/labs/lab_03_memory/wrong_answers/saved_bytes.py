"""Wrong answers to `saved_bytes`: each docstring is the diagnosis."""

import torch


def _saved(model, x, *, all_trained=False, output_of=(torch.nn.ReLU, torch.nn.Tanh)):
    """Return the tensors that a backward pass keeps, with repetitions."""
    kept = []
    for layer in model:
        y = layer(x)
        if isinstance(layer, torch.nn.Linear):
            if all_trained or layer.weight.requires_grad:
                kept.append(x)
        elif kept if all_trained else x.requires_grad:
            kept.append(y if isinstance(layer, output_of) else x)
        x = y
    return kept


def _bytes(tensors):
    return sum(tensor.nbytes for tensor in {id(each): each for each in tensors}.values())


def all_results(model, x):
    """It counts the result of every layer. A linear layer saves its input, for the gradient of its
    weight; its result is kept only if the next layer saves it."""
    kept = 0
    for layer in model:
        x = layer(x)
        kept += x.nbytes
    return kept


def counts_parameters(model, x):
    """The parameters are counted too. They are in memory with or without a backward pass."""
    return _bytes(_saved(model, x)) + sum(parameter.nbytes for parameter in model.parameters())


def counts_twice(model, x):
    """A ReLU saves its result, and the next linear layer saves its input. That is the same tensor, so
    count it once."""
    return sum(tensor.nbytes for tensor in _saved(model, x))


def four_bytes(model, x):
    """It assumes four bytes per number. A float64 has eight and a float16 two: use `element_size()` or
    `nbytes`."""
    return sum(4 * each.numel() for each in {id(each): each for each in _saved(model, x)}.values())


def gelu_as_relu(model, x):
    """The slope of GELU cannot be computed from its result: it saves its input. ReLU and tanh save
    their results."""
    return _bytes(_saved(model, x, output_of=torch.nn.Module))


def ignores_frozen(model, x):
    """It counts as if every layer were trained. A frozen weight needs no gradient. If no layer before
    this one is trained, no gradient passes through it."""
    return _bytes(_saved(model, x, all_trained=True))
