"""The deep linear network: a chain of hundreds of linear layers with a few features.

It is for measurements, not for training. Each layer multiplies by a 4 by 4 matrix, which takes
nanoseconds, so nearly all of the time is the overhead of the execution: attribute lookups, calls,
hooks and dispatch.

Source: the benchmark "Deep linear model" of pytorch-symbolic, and its published figures in
``data/published_results.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def linear_layers(
    n_layers: int, features: int = 4, *, seed: int = 0, device: str | torch.device = "cpu"
) -> list[nn.Linear]:
    """Return linear layers with the same random weights for the same seed.

    Args:
        n_layers: number of layers, at least 1.
        features: inputs and outputs of each layer, at least 1.
        seed: seed of the weights, which are the same for each device; the global random generator
            is not changed.
        device: device of the layers.

    Returns:
        Layers of float32 with weights (features, features) and biases (features,), in torch's
        default initialisation.

    >>> [tuple(layer.weight.shape) for layer in linear_layers(2, features=3)]
    [(3, 3), (3, 3)]
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [nn.Linear(features, features) for _ in range(n_layers)]
    return [layer.to(device) for layer in layers]


class DeepLinear(nn.Module):
    """The network as a hand-written module with a loop over its layers.

    Args:
        layers: the layers, in order.

    Shapes:
        input and output (batch, features).

    >>> DeepLinear(linear_layers(3))(torch.zeros(2, 4)).shape
    torch.Size([2, 4])
    """

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        """Return the last layer's output, (batch, features)."""
        for layer in self.layers:
            x = layer(x)
        return x


def symbolic_deep_linear(
    layers: Sequence[nn.Module], features: int, execution: str
) -> SymbolicModel:
    """Return the network as an `hpml.symbolic.SymbolicModel` with the given execution.

    Args:
        layers: the layers, in order.
        features: features of the input, whose shape is (batch, features).
        execution: one of `hpml.symbolic.EXECUTIONS`, or ``"numba"``.

    Raises:
        hpml.symbolic.GraphError: if there is no such execution, or the machine cannot run it.

    >>> model = symbolic_deep_linear(linear_layers(3), 4, "codegen")
    >>> model(torch.zeros(2, 4)).shape
    torch.Size([2, 4])
    """
    from hpml.symbolic import Input, SymbolicModel

    x: Any = Input(shape=(features,))
    inputs = x
    for layer in layers:
        x = layer(x)
    return SymbolicModel(inputs, x, execution=execution)
