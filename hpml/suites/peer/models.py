"""The peer's models, for a process of their own.

It replaces ``torch.nn.Module.__call__`` and ``__new__`` when it is imported, which would change the
speed of everything else in the process. So the suites import nothing from here: they name these
functions to `hpml.benchmark.ProcessContender`.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any


def build_forward(
    n_layers: int, features: int, batch: int, *, grad: bool, device: str, seed: int
) -> Callable[[], object]:
    """Return the peer's forward of the deep linear network, for timing."""
    from hpml.suites.deep_linear import example_input

    return _forward(
        lambda: _model(_layers(n_layers, features, seed, device), features),
        lambda: example_input(batch, features, seed, device),
        grad=grad,
    )


def build_toy_resnet(
    resolution: int, batch: int, *, grad: bool, device: str, seed: int
) -> Callable[[], object]:
    """Return the peer's forward of the toy ResNet in eval mode, for timing, likewise."""
    from hpml.suites.toy_resnet import example_input

    return _forward(
        lambda: _toy_resnet(resolution, seed, device).eval(),
        lambda: example_input(batch, resolution, seed, device),
        grad=grad,
    )


def _layers(count: int, features: int, seed: int, device: str) -> list[Any]:
    from hpml.models import linear_layers

    return list(linear_layers(count, features, seed=seed, device=device))


def _model(layers: list[Any], features: int) -> Any:
    symbolic = importlib.import_module("pytorch_symbolic")
    x = inputs = symbolic.Input(shape=(features,))
    for layer in layers:
        x = layer(x)
    return symbolic.SymbolicModel(inputs, x)


def _toy_resnet(resolution: int, seed: int, device: str) -> Any:
    from hpml.models import ToyResNet, connect_toy_resnet, toy_resnet_layers

    symbolic = importlib.import_module("pytorch_symbolic")
    layers = toy_resnet_layers(resolution, seed=seed, device=device)
    # To learn the shapes the peer runs random data through the layers, and in train mode
    # normalisations would learn from it.
    ToyResNet(layers).eval()
    inputs = symbolic.Input(shape=(3, resolution, resolution))
    return symbolic.SymbolicModel(inputs, connect_toy_resnet(layers, inputs))


def _forward(
    make_model: Callable[[], Any], make_input: Callable[[], Any], *, grad: bool
) -> Callable[[], object]:
    import torch

    # Before the layers are made: the peer only recognises those made after its import.
    symbolic = importlib.import_module("pytorch_symbolic")
    torch.set_grad_enabled(grad)
    model = make_model()
    symbolic.optimize_module_calls()
    return functools.partial(model, make_input())
