"""Reading the weights once, and saying what nobody looks at from then on."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from hpml.symbolic.errors import ArgumentError
from hpml.symbolic.execution.program import Program

_NOT_LOOKED_AT = (
    "new values of weights and statistics (an optimiser, load_state_dict, weight.data), layers and "
    "weights that are replaced, hooks, train() and requires_grad, settings of layers, autocast, "
    "modes, tracers, derivatives in forward mode, functions of PyTorch that somebody replaced"
)


def frozen_weights(model: Any, program: Program) -> tuple[Any, str]:
    """Return the weights of a model as they are now, and what a frozen model does not look at."""
    if program.pack is None:
        raise ArgumentError(
            f"freeze expected execution='numba', received {model.execution!r}, which reads each "
            "weight when it computes with it: assign model.execution = 'numba' first"
        )
    tensors = itertools.chain(model.parameters(), model.buffers())
    kind = next((tensor.dtype for tensor in tensors if tensor.is_floating_point()), None)
    dtype = str(kind).removeprefix("torch.") if kind else model.graph.values[0].kind
    with torch.no_grad():
        weights = program.pack(model._execution_order_layers, dtype)
    if weights is None:
        raise ArgumentError(
            "freeze expected layers that the kernel can stand for, with weights of float32 or "
            f"float64, received {dtype} and some that may have to be called at present: "
            "model.explain() says which; model.eval() may help"
        )
    count = sum(p.numel() for p in model.parameters())
    return (
        weights,
        f"frozen with {count:,} weights; until thaw() nobody looks at: {_NOT_LOOKED_AT}",
    )
