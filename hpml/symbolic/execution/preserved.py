"""Run a model and restore the state that its forward changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from hpml.symbolic.building.inference import generators_restored


@contextmanager
def preserved(model: nn.Module) -> Iterator[None]:
    """Restore the attributes and buffers of all modules, and the random generators, at the end.

    >>> norm = nn.BatchNorm1d(2)
    >>> with preserved(norm):
    ...     _ = norm(torch.rand(8, 2))
    >>> norm.num_batches_tracked, norm.running_mean
    (tensor(0), tensor([0., 0.]))
    """
    attributes = [(module, dict(module.__dict__)) for module in model.modules()]
    buffers = [(module, dict(module._buffers)) for module in model.modules()]
    contents = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
    with generators_restored(model):
        try:
            yield
        finally:
            for module, before in attributes:
                module.__dict__.clear()
                module.__dict__.update(before)
            for module, before in buffers:
                module._buffers.clear()
                module._buffers.update(before)
            with torch.no_grad():
                for buffer, content in contents:
                    if not (buffer.is_meta or buffer.equal(content)):
                        buffer.copy_(content)
