"""Decide whether two values that may share memory have elements in common.

A value's elements are found by making it again from numbered elements: ``x[1:]`` of a tensor with
the elements 0, 1, 2 has 1 and 2. Only the read of a value whose memory was changed asks for that.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn

from hpml.symbolic.useful_layers import UnpackLayer

from .arguments import children_of
from .inference import HOOKS, Copies, example_value, is_stateless, memory_of
from .node import EXAMPLE_BATCHES, Concrete, Node, TensorSpec

_LARGEST = 2**24  # elements of a tensor
_META = torch.device("meta")
_BATCHES = [example for example, batch in enumerate(EXAMPLE_BATCHES) if batch <= 8]


Memories = dict[Any, Tensor]
"""The numbers of all elements of a memory."""


class _UnknownError(Exception):
    """The elements of a value cannot be found."""


def are_apart(one: Node, other: Node) -> bool:
    """Return whether two values have no element in common, whatever the batch size is.

    A batch of one decides: values that are apart there, and neither of which is empty, differ in
    other dimensions than the batch.
    """
    try:
        return all(_apart(one, other, example) for example in _BATCHES)
    except Exception:  # noqa: BLE001 - a layer may raise anything for numbered elements
        return False


def _apart(one: Node, other: Node, example: int) -> bool:
    first, steps = _origin(one)
    second, other_steps = _origin(other)
    if first is not second:
        return False
    if isinstance(first.spec, Concrete) and first.spec.examples <= example:
        # The layer ran for the first batches only: parts of its result are apart in each.
        return len(steps) <= 1 and len(other_steps) <= 1
    value, memories = _numbered(first, example)
    numbers = [_numbers_of(value, nodes, memories, example) for nodes in (steps, other_steps)]
    seen = torch.zeros(sum(map(len, memories.values())), dtype=torch.bool, device="cpu")
    seen[numbers[0]] = True
    return not bool(seen[numbers[1]].any())


def _origin(node: Node) -> tuple[Node, list[Node]]:
    """Return the oldest node whose elements can be numbered, and the views from it to `node`."""
    views: list[Node] = []
    while node.effects is not None and node.effects.shares:
        if not node.effects.itself:  # else it is its argument, perhaps changed
            if not _makes_a_view(node):
                break
            views.append(node)
        node = node.parents[node.effects.argument]
    return node, views[::-1]


def _makes_a_view(node: Node) -> bool:
    """Return whether the layer can run on numbers, without an effect on anything else."""
    layer = node.layer
    if layer is None or len(node.parents) != 1:
        return False
    return is_stateless(layer) or _is_plain(layer)


def _is_plain(layer: nn.Module) -> bool:
    """Return whether a module of PyTorch has nothing of its own, as ``nn.Flatten``."""
    parts = (*HOOKS, "_modules", "_parameters", "_buffers")
    return _is_of_torch(layer) and not any(layer.__dict__.get(name) for name in parts)


def _is_of_torch(layer: nn.Module) -> bool:
    return type(layer).__module__.startswith("torch.nn.modules.")


def _numbers_of(value: Any, views: list[Node], memories: Memories, example: int) -> Tensor:
    """Return the numbers of the elements of a view."""
    for node in views:
        assert node.layer is not None
        if type(node.layer) is UnpackLayer:
            # Unpacking a tensor would make a tensor of each row.
            parts = value if isinstance(value, Tensor) else list(value)
            value = parts[node.position]
        else:
            value = node.layer.forward(value)
        if isinstance(node.spec, TensorSpec):
            own = any(memory_of(value) == memory_of(numbers) for numbers in memories.values())
            if not own or value.shape != node.spec.at(example):
                raise _UnknownError
    numbers = torch.cat([tensor.flatten() for tensor in _tensors(value)])
    if not len(numbers):
        raise _UnknownError
    return numbers


def _numbered(node: Node, example: int) -> tuple[Any, Memories]:
    """Return a value with numbers for elements, as they lie in memory, and its memories."""
    memories: Memories = {}
    spec, layer = node.spec, node.layer
    if isinstance(spec, Concrete):
        with Copies(lambda tensor: _with_numbers(tensor, memories)):
            return copy.deepcopy(spec.at(example)), memories
    whole = torch.empty(spec.at(example), device=_META)
    if layer is not None and is_stateless(layer):  # its elements may share memory, as of `expand`
        arguments = [example_value(parent, example, _META) for parent in node.parents]
        whole = layer.forward(*arguments)
    elif layer is not None and not _is_of_torch(layer):
        raise _UnknownError
    return _with_numbers(whole, memories), memories


def _with_numbers(tensor: Tensor, memories: Memories) -> Tensor:
    """Return a tensor of the same geometry whose elements are numbers."""
    size, memory = tensor.untyped_storage().nbytes() // tensor.element_size(), memory_of(tensor)
    if memory not in memories:
        first = sum(map(len, memories.values()))
        if first + size > _LARGEST:
            raise _UnknownError
        memories[memory] = torch.arange(first, first + size, device="cpu")
    if len(memories[memory]) != size:  # two dtypes in one memory
        raise _UnknownError
    return memories[memory].as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [tensor for part in children_of(value) or () for tensor in _tensors(part)]
