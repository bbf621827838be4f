"""Compare and count the parameters of any two modules."""

from __future__ import annotations

import torch
from torch import nn


def get_parameter_count(model: nn.Module, only_trainable: bool = False) -> int:
    """Return the number of parameters; a shared parameter counts once.

    >>> get_parameter_count(nn.Linear(4, 2))
    10
    """
    return sum(
        parameter.numel()
        for parameter in model.parameters()
        if parameter.requires_grad or not only_trainable
    )


def get_parameter_shapes(model: nn.Module) -> list[tuple[int, ...]]:
    """Return the shape of every parameter, in the order of ``model.parameters()``.

    >>> get_parameter_shapes(nn.Linear(4, 2))
    [(2, 4), (2,)]
    """
    return [tuple(parameter.shape) for parameter in model.parameters()]


def model_similar(a: nn.Module, b: nn.Module) -> bool:
    """Return whether two models have parameters of the same shapes, in any order.

    >>> model_similar(nn.Linear(4, 2), nn.Linear(4, 2))
    True
    """
    return sorted(get_parameter_shapes(a)) == sorted(get_parameter_shapes(b))


def hash_torch_tensor(tensor: torch.Tensor) -> int:
    """Return a hash of a tensor's dtype, shape and values.

    >>> hash_torch_tensor(torch.ones(2)) == hash_torch_tensor(torch.ones(2))
    True
    """
    raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return hash((str(tensor.dtype), tuple(tensor.shape), raw))


def models_have_corresponding_parameters(a: nn.Module, b: nn.Module) -> bool:
    """Return whether two models have the same parameter values, in any order.

    >>> layer = nn.Linear(4, 2)
    >>> models_have_corresponding_parameters(layer, nn.Sequential(layer))
    True
    """
    hashes = [{hash_torch_tensor(p) for p in model.parameters()} for model in (a, b)]
    return hashes[0] == hashes[1]
