"""Run a layer and leave no trace: what it changed is put back.

Layers keep state in many places: BatchNorm counts batches, rotary embeddings cache tables, a
module of the user's may count its calls. When the builder has to run a layer to learn the shape of
its result, all of that must be as before when it is done.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


@contextmanager
def preserved(layer: nn.Module, *, meta: bool = False) -> Iterator[None]:
    """Put a layer's attributes and buffers, and the random generators, back at the end.

    Attributes that are lists, sets or dictionaries get their contents back too.

    >>> norm = nn.BatchNorm1d(2)
    >>> with preserved(norm):
    ...     _ = norm(torch.rand(8, 2))
    >>> norm.num_batches_tracked, norm.running_mean
    (tensor(0), tensor([0., 0.]))
    """
    saved = [_save(module) for module in layer.modules()]
    contents = [] if meta else [(b, b._version, b.detach().clone()) for b in layer.buffers()]
    python_state = random.getstate()
    devices = sorted({b.device.index or 0 for b in layer.parameters() if b.is_cuda})
    with torch.random.fork_rng(devices=devices):
        try:
            if meta:
                replacements: dict[int, Tensor] = {}
                for module in layer.modules():
                    _swap_for_meta(module, replacements)
            yield
        finally:
            for state in saved:
                _restore(*state)
            with torch.no_grad():
                for buffer, version, content in contents:
                    # A normalisation writes its statistics without counting a new version.
                    if buffer._version != version or not (buffer.is_meta or buffer.equal(content)):
                        buffer.copy_(content)
            random.setstate(python_state)


_Containers = list[tuple[Any, Any]]


def _save(module: nn.Module) -> tuple[nn.Module, dict[str, Any], _Containers]:
    attributes = dict(module.__dict__)
    containers = [(v, v.copy()) for v in attributes.values() if isinstance(v, (dict, list, set))]
    return module, attributes, containers


def _restore(module: nn.Module, attributes: dict[str, Any], containers: _Containers) -> None:
    module.__dict__.clear()
    module.__dict__.update(attributes)
    for container, content in containers:
        # The containers themselves stay the same objects: others may hold them.
        container.clear()
        (container.extend if isinstance(container, list) else container.update)(content)


def _swap_for_meta(module: nn.Module, replacements: dict[int, Tensor]) -> None:
    """Give a module meta tensors for its parameters, buffers and plain tensor attributes."""

    def meta_of(tensor: Any) -> Any:
        if not isinstance(tensor, Tensor) or tensor.is_meta:
            return tensor
        if id(tensor) not in replacements:
            empty = torch.empty_like(tensor, device="meta")
            if isinstance(tensor, nn.Parameter):
                empty = nn.Parameter(empty, requires_grad=tensor.requires_grad)
            replacements[id(tensor)] = empty
        return replacements[id(tensor)]

    attributes = module.__dict__
    for name in ("_parameters", "_buffers"):
        for key, value in attributes[name].items():
            attributes[name][key] = meta_of(value)
    for key, value in list(attributes.items()):
        if isinstance(value, Tensor):
            attributes[key] = meta_of(value)
