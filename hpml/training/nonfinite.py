"""Where a loss that is no number came from: the first layer that made one of numbers.

A gradient that is no number spoils the weights of its layer and of all before it, and the loss of
the next step. A value that is none spoils all after it. So the last spoiled weight, or else the
first spoiled output, is where it began.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn

from hpml.training.errors import NotFiniteError

_TRY = (
    "Try a lower learning_rate, bf16 instead of amp, whose float16 ends at 65,504, or float32. "
    "Check the pictures and labels of this step."
)


def not_finite(
    model: nn.Module, forward: Callable[[], object], step: int, loss: float
) -> NotFiniteError:
    """Return the error that says in which step and layer it first appeared, running it again."""
    spoiled = [n for n, p in model.named_parameters() if not bool(p.isfinite().all())]
    if spoiled:
        layer = spoiled[-1].rpartition(".")[0]
        where = (
            f"the gradient of layer {layer!r} was not finite in the step before "
            f"({len(spoiled)} of its and earlier weights are spoiled)"
            if step
            else f"layer {layer!r} had weights that are not finite before the first step"
        )
    else:
        layer = _first_layer(model, forward)
        where = (
            f"layer {layer!r} is the first whose output is not finite"
            if layer
            else "all layers return finite numbers, but the loss is not finite"
        )
    todo = "Load other weights." if spoiled and not step else _TRY
    return NotFiniteError(f"Step {step}: the loss is {loss}: {where}. {todo}", step, layer)


def _first_layer(model: nn.Module, forward: Callable[[], object]) -> str:
    """Return the name of the innermost layer that first gave a value that is not finite."""
    found: list[str] = []

    def look(name: str) -> Any:
        def hook(module: nn.Module, inputs: Any, output: Any) -> None:
            if not found and isinstance(output, Tensor) and not bool(output.isfinite().all()):
                found.append(name)

        return hook

    with ExitStack() as stack, torch.no_grad():
        for name, module in model.named_modules():
            handle = module.register_forward_hook(look(name or type(model).__name__))
            stack.callback(handle.remove)
        forward()
    return found[0] if found else ""
