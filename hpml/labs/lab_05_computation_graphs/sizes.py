"""What the shapes of a declared graph say about memory, before any of it exists."""

from __future__ import annotations

import math

import torch

from hpml.base import Table
from hpml.base.tables import format_bytes
from hpml.symbolic import SymbolicModel

__all__ = ["result_bytes", "sizes_table"]


def result_bytes(model: SymbolicModel, batch: int = 1) -> dict[str, int]:
    """Return for each layer of a declared model how many bytes its result will have.

    Args:
        model: every result of it is a tensor.
        batch: the batch size that will be given, where it is not known.

    >>> from hpml.symbolic import Input
    >>> x = Input(shape=(1000,))
    >>> result_bytes(SymbolicModel(x, torch.nn.ReLU()(x)), batch=8)
    {'ReLU_1': 32000}
    """
    sizes = {}
    for call in model.graph.calls:
        values = [model.graph.values[result] for result in call.results if result is not None]
        sizes[call.name] = sum(
            math.prod(value.shape or ())
            * (1 if value.batch_known or not value.shape else batch)
            * getattr(torch, value.kind).itemsize
            for value in values
        )
    return sizes


def sizes_table(model: SymbolicModel, batch: int = 1) -> Table:
    """Return the layers of a declared model with the shape and the bytes of each result."""
    graph = model.graph
    sizes = result_bytes(model, batch)
    rows: list[list[object]] = []
    for call in graph.calls:
        shapes = ", ".join(graph.values[r].text() for r in call.results if r is not None)
        rows.append([call.name, shapes, sizes[call.name]])
    rows.append(["all together", "", sum(sizes.values())])
    return Table(
        ["layer", "shape of its result", "bytes of its result"],
        rows,
        caption=f"Batch size {batch}.",
        formats={"bytes of its result": format_bytes},
    )
