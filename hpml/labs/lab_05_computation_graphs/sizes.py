"""What the shapes of a declared graph say about memory, before any of it exists."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def result_bytes(model: SymbolicModel, batch: int = 1) -> dict[str, int]:
    """Return for each layer of a declared model how many bytes its result will have.

    >>> import torch
    >>> from hpml.symbolic import Input, SymbolicModel
    >>> x = Input(shape=(1000,))
    >>> result_bytes(SymbolicModel(x, torch.nn.ReLU()(x)), batch=8)
    {'ReLU_1': 32000}
    """
    import torch

    sizes = {}
    for call in model.graph.calls:
        values = [model.graph.values[result] for result in call.results if result is not None]
        sizes[call.name] = sum(
            math.prod(batch if size is None else size for size in value.shape or ())
            * getattr(torch, value.kind).itemsize
            for value in values
        )
    return sizes
