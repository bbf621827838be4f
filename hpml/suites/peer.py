"""The peer `pytorch-symbolic`, as contenders for a process of their own.

It replaces ``torch.nn.Module.__call__`` and ``__new__`` when it is imported, which would change the
speed of everyone else in the process. So nothing in this file is imported or called by the suites
themselves: they name its functions to `hpml.benchmark.ProcessContender`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

__all__ = ["NAME", "build_forward", "build_model", "how_to_install"]

NAME = "pytorch-symbolic"


def how_to_install() -> str | None:
    """Return what to do to have the peer measured, or None if it is installed."""
    if importlib.util.find_spec("pytorch_symbolic") is not None:
        return None
    return (
        "it is not installed; `python -m pip install pytorch-symbolic==1.2.4` in the course's "
        "environment adds it"
    )


def build_forward(
    n_layers: int, features: int, batch: int, *, grad: bool, device: str, seed: int
) -> Callable[[], object]:
    """Return the peer's forward of the deep linear network, for timing.

    The model is made as its documents say, with ``optimize_module_calls()`` at the end. Weights and
    input are those that the other contenders have.
    """
    # Before the layers are made: the peer only recognises those made after its import.
    import torch

    symbolic = importlib.import_module("pytorch_symbolic")

    from hpml.suites.deep_linear import example_input

    torch.set_grad_enabled(grad)
    model = _model(_layers(n_layers, features, seed, device), features)
    symbolic.optimize_module_calls()
    return functools.partial(model, example_input(batch, features, seed, device))


def build_model(nodes: int, features: int, seed: int) -> Callable[[], object]:
    """Return a function that makes the peer's model of `nodes` layers, for timing.

    The layers are made beforehand. ``optimize_module_calls()`` is not called: it would switch off
    the very calls that build.
    """
    importlib.import_module("pytorch_symbolic")  # before the layers are made

    from hpml.suites.building import checked

    layers = _layers(nodes, features, seed, "cpu")
    return checked(NAME, functools.partial(_model, layers, features), layers, features)


def _layers(count: int, features: int, seed: int, device: str) -> list[Any]:
    from hpml.models import linear_layers

    return list(linear_layers(count, features, seed=seed, device=device))


def _model(layers: list[Any], features: int) -> Any:
    symbolic = importlib.import_module("pytorch_symbolic")
    x = inputs = symbolic.Input(shape=(features,))
    for layer in layers:
        x = layer(x)
    return symbolic.SymbolicModel(inputs, x)
