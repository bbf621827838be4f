"""Example data for symbolic values: what ``x.v`` shows.

Nothing is stored. Every look computes the value anew, from the inputs down, with a generator of its
own, so two looks show the same numbers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from hpml.symbolic.building.node import Concrete, InputRange, Node, TensorSpec
from hpml.symbolic.errors import GraphError

from .preserved_state import preserved


def device_of(layer: nn.Module) -> torch.device:
    """Return the device of a layer's first parameter or buffer; the CPU where it has none."""
    for tensor in (*layer.parameters(), *layer.buffers()):
        return tensor.device
    return torch.device("cpu")


def stand_in(node: Node, device: torch.device) -> Any:
    """Return example data with a node's shape and dtype, or its example object."""
    if isinstance(node.spec, TensorSpec):
        return _example_tensor(node, node.spec).to(device)
    return node.spec.value if node.spec.is_real else evaluate(node)


def _example_tensor(node: Node, spec: TensorSpec) -> torch.Tensor:
    if isinstance(node.example, torch.Tensor):
        return node.example.detach().clone()
    return random_tensor(spec, node.example, seed=node.index)


def random_tensor(spec: TensorSpec, limits: InputRange | None, seed: int) -> torch.Tensor:
    """Return a tensor of the spec, drawn with a generator of its own.

    Floating-point numbers are drawn uniformly from the limits, ``[0, 1)`` by default; integers and
    truth values are such numbers rounded down, so zeros by default.

    >>> random_tensor(TensorSpec((2,), torch.int64), None, seed=0)
    tensor([0, 0])
    """
    low, high = limits if limits is not None else (0.0, 1.0)
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand(spec.shape, generator=generator, device="cpu") * (high - low) + low
    if spec.dtype in (torch.quint8, torch.qint8, torch.qint32):
        return torch.quantize_per_tensor(values, 0.1, 0, spec.dtype)
    fractions = spec.dtype.is_floating_point or spec.dtype.is_complex
    return (values if fractions else values.floor()).to(spec.dtype)


def evaluate(node: Node) -> Any:
    """Compute a node's value on example data for the inputs above it."""
    values: dict[Node, Any] = {}
    waiting = [node]
    while waiting:
        current = waiting[-1]
        if current in values:
            waiting.pop()
            continue
        spec = current.spec
        if isinstance(spec, Concrete) and spec.is_real:
            values[current] = spec.value
            continue
        if current.layer is None:
            if not isinstance(spec, TensorSpec):
                raise GraphError(
                    f"the {current.describe()} of a copied model has no example any more: look at "
                    "the original model's symbolic data"
                )
            values[current] = _example_tensor(current, spec)
            continue
        missing = [parent for parent in current.parents if parent not in values]
        if missing:
            waiting.extend(missing)
            continue
        values[current] = _apply(current, [values[parent] for parent in current.parents])
    return values[node]


def _apply(node: Node, arguments: list[Any]) -> Any:
    layer = node.layer
    assert layer is not None  # the caller handles inputs
    device = device_of(layer)
    moved = [a.to(device) if isinstance(a, torch.Tensor) else a for a in arguments]
    try:
        with preserved(layer), torch.no_grad():
            torch.default_generator.manual_seed(node.index)  # a dropout shows the same each time
            if node.unpacking is not None:
                return tuple(layer(*moved[0]))[node.position]
            return layer(*moved)
    except Exception as error:
        raise GraphError(
            f"{node.describe()} cannot be shown as an example: {type(error).__name__}: {error}. "
            "Give the inputs a batch_shape, or min_value and max_value, that suit the layer"
        ) from error
