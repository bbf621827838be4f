"""The deep linear network: hundreds of linear layers of a handful of features, one after the other.

Not meant for training. Each layer multiplies a 4 by 4 matrix, which takes nanoseconds,
so that nearly all of the time goes into getting from one layer to the next: attribute look-ups,
calls, hooks, dispatch. So the cost of an execution shows best here.

Source: the benchmark "Deep linear model" of pytorch-symbolic, and its published figures in
``data/published_results.json``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from hpml.models.errors import ModelError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def linear_layers(
    n_layers: int, features: int = 4, *, seed: int = 0, device: str | torch.device = "cpu"
) -> list[nn.Linear]:
    """Return linear layers with the same random weights for the same seed.

    Args:
        n_layers: how many, at least 1.
        features: inputs and outputs of each layer, at least 1.
        seed: of the weights. They are drawn on the CPU and moved, so that they do not depend on
            the device; the global random generator is left as it was.
        device: where the layers live.

    Returns:
        Layers of float32, weights (features, features) and biases (features,), drawn as torch
        draws them.

    Raises:
        ModelError: if `n_layers` or `features` is below 1.

    >>> [tuple(layer.weight.shape) for layer in linear_layers(2, features=3)]
    [(3, 3), (3, 3)]
    """
    if n_layers < 1 or features < 1:
        raise ModelError(
            "linear_layers expects at least 1 layer and 1 feature, "
            f"got n_layers={n_layers!r} and features={features!r}."
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [nn.Linear(features, features) for _ in range(n_layers)]
    return [layer.to(device) for layer in layers]


class DeepLinear(nn.Module):
    """The network as anyone would write it by hand: a module with a loop over its layers.

    Args:
        layers: applied in order.

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


def sequential_deep_linear(layers: Sequence[nn.Module]) -> nn.Sequential:
    """Return the network as a `torch.nn.Sequential`.

    >>> len(sequential_deep_linear(linear_layers(3)))
    3
    """
    return nn.Sequential(*layers)


def symbolic_deep_linear(
    layers: Sequence[nn.Module], features: int, execution: str
) -> SymbolicModel:
    """Return the network as an `hpml.symbolic.SymbolicModel`, run by the given execution.

    Args:
        layers: applied in order.
        features: of the input, whose shape is (batch, features).
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
