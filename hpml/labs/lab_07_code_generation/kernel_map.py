"""Where one compiled kernel is faster than PyTorch's own operators, and where no longer."""

from __future__ import annotations

from collections.abc import Sequence

from hpml.base.environment import quick
from hpml.base.tables import Table
from hpml.course.racing import race
from hpml.labs.lab_07_code_generation.networks import chain_model


def kernel_map(
    widths: Sequence[int] = (4, 16, 64, 256), batches: Sequence[int] = (1, 16, 256), depth: int = 20
) -> Table:
    """Race the frozen kernel with the inlined source for each width of the layers and each batch.

    Returns:
        A row a width, a column a batch: how many times as fast the kernel is, from one measurement
        each; "=" where that cannot be told apart from 1.
    """
    import torch
    from torch import nn

    widths, batches = (widths[:2], batches[:1]) if quick() else (widths, batches)
    rows = []
    for width in widths:
        layers = [nn.Linear(width, width) for _ in range(depth)]
        inlined = chain_model(layers, "inlined", width)
        kernel = inlined.compiled_inference()
        cells = []
        for batch in batches:
            x = torch.rand(batch, width)
            raced = race({"inlined": lambda: inlined(x), "kernel": lambda: kernel(x)})  # noqa: B023
            ratio = raced.ratio("kernel")
            told = ratio.answer != "cannot tell"
            cells.append(f"{ratio.speed_up:.2g} ×" if told else "=")
        rows.append((width, *cells))
    title = f"The kernel's speed as a multiple of the inlined source's, {depth} linear layers"
    return Table(("width", *[f"batch {batch}" for batch in batches]), rows, title=title)
