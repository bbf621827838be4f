import torch
from torch import nn

SAYS = {
    "Write `saved_bytes(model, x)`.": "the name",
    "You may call the layers.": "a permission; the right solution does",
    "For the lecture's network it is the number above.": "an example, which is a case",
    "Some linear layers are **frozen**": "a definition, which the next sentence uses",
}


def _saved(model, x, inputs=(nn.GELU,), frozen=True, parameters=False, first=True, gradient=True):
    kept, given = [], x
    for layer in model:
        y = layer(x)
        if isinstance(layer, nn.Linear):
            if layer.weight.requires_grad or not frozen:
                kept.append(x)
            if parameters:
                kept.append(layer.weight)
        elif x.requires_grad or not gradient:
            kept.append(x if isinstance(layer, inputs) else y)
        x = y
    return [each for each in kept if first or each is not given]


def _bytes(kept):
    return sum(each.nbytes for each in {id(each): each for each in kept}.values())


def numbers_not_bytes(model, x) -> int:
    """It returns how many bytes autograd keeps after `model(x)`, parameters not counted."""
    return sum(each.numel() for each in {id(e): e for e in _saved(model, x)}.values())


def four_bytes_each(model, x) -> int:
    """It returns how many bytes autograd keeps after `model(x)`"""
    return 4 * numbers_not_bytes(model, x)


def with_parameters(model, x) -> int:
    """autograd keeps after `model(x)`, parameters not counted."""
    return _bytes(_saved(model, x, parameters=True))


def of_one_picture(model, x) -> int:
    """It returns how many bytes autograd keeps after `model(x)`"""
    return _bytes(_saved(model, x[:1]))


def two_axes_only(model, x) -> int:
    """It returns how many bytes autograd keeps after `model(x)`"""
    batch, width = x.shape
    return _bytes(_saved(model, x.reshape(batch, width)))


def tanh_as_gelu(model, x) -> int:
    """tanh saves what ReLU saves."""
    return _bytes(_saved(model, x, inputs=(nn.GELU, nn.Tanh)))


def relu_as_gelu(model, x) -> int:
    """The model is an `nn.Sequential` of `Linear`, `ReLU`, `Tanh` and `GELU`"""
    return _bytes(_saved(model, x, inputs=(nn.GELU, nn.ReLU)))


def gelu_as_relu(model, x) -> int:
    """The model is an `nn.Sequential` of `Linear`, `ReLU`, `Tanh` and `GELU`"""
    return _bytes(_saved(model, x, inputs=()))


def tanh_saves_nothing(model, x) -> int:
    """tanh saves what ReLU saves."""
    kept = 0
    for layer in model:
        y = layer(x)
        if isinstance(layer, nn.Tanh) and x.requires_grad:
            kept += 1
        x = y
    return 0 if kept else _bytes(_saved(model, model and x))


def without_the_input(model, x) -> int:
    """The input `x` needs no gradient, and counts if it is saved."""
    return _bytes(_saved(model, x, first=False))


def the_input_needs_a_gradient(model, x) -> int:
    """The input `x` needs no gradient, and counts"""
    return _bytes(_saved(model, x.detach().requires_grad_()))


def the_input_counts_always(model, x) -> int:
    """and counts if it is saved."""
    return _bytes([x, *_saved(model, x)])


def each_time_it_is_saved(model, x) -> int:
    """Each tensor counts once."""
    return sum(each.nbytes for each in _saved(model, x))


def one_for_each_size(model, x) -> int:
    """Each tensor counts once."""
    return sum({each.shape: each.nbytes for each in _saved(model, x)}.values())


def frozen_layers_save_too(model, x) -> int:
    """A layer whose result needs no gradient saves nothing."""
    return _bytes(_saved(model, x, frozen=False))


def activations_always_save(model, x) -> int:
    """A layer whose result needs no gradient saves nothing."""
    return _bytes(_saved(model, x, gradient=False))


def nothing_below_a_frozen_layer(model, x) -> int:
    """A layer whose result needs no gradient saves nothing."""
    kept, trained = {}, True
    for layer in model:
        y = layer(x)
        if isinstance(layer, nn.Linear):
            trained = layer.weight.requires_grad
            if trained:
                kept[id(x)] = x
        elif trained and x.requires_grad:
            saved = x if isinstance(layer, nn.GELU) else y
            kept[id(saved)] = saved
        x = y
    return _bytes(kept.values())


def forbidden_hooks(model, x) -> int:
    """Predict the number."""
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(kept.append, lambda each: each):
        model(x)
    return _bytes(kept)


def forbidden_hooks_of_modules(model, x) -> int:
    """It may not use `saved_tensors_hooks`"""
    kept = []
    for layer in model:
        layer.register_forward_hook(lambda layer, given, result: kept.append(result))
    model(x)
    return _bytes(_saved(model, x))


def forbidden_library(model, x) -> int:
    """and `torch`, but not `hpml`"""
    from hpml import profiling

    return profiling.saved_memory(model, x).total
