"""The networks of lab 07."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import nn

    from hpml.symbolic import SymbolicModel

__all__ = [
    "DOCUMENTS_SOURCE",
    "chain_model",
    "documents_example",
    "residual_model",
]

DOCUMENTS_SOURCE = """\
def _generated_forward(self, i00, i01):
    l = self._execution_order_layers
    h09 = i01
    for layer in l[0:10]:
        h09 = layer(h09)
    h19 = i00
    for layer in l[10:20]:
        h19 = layer(h19)
    h20 = l[20](h19, h09)
    h21 = l[21](h20)
    h22 = l[22](h21)
    h32 = h22
    for layer in l[23:33]:
        h32 = layer(h32)
    h42 = h22
    for layer in l[33:43]:
        h42 = layer(h42)
    o00 = l[43](h42, h32)
    return o00
"""
"""What the documents of pytorch-symbolic print under "How is Symbolic Model optimized?"."""


def documents_example(features: int = 4) -> SymbolicModel:
    """Return the model of two inputs and 44 layers whose source the documents print.

    >>> len(documents_example().graph.calls)
    44
    """
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    def run_of(length: int, x: Any) -> Any:
        for _ in range(length):
            x = nn.Linear(features, features)(x)
        return x

    first, second = Input(shape=(features,)), Input(shape=(features,))
    below = run_of(10, second)
    joined = run_of(2, run_of(10, first) + below)
    left, right = run_of(10, joined), run_of(10, joined)
    return SymbolicModel((first, second), right + left, execution="codegen")


def chain_model(layers: Sequence[nn.Module], execution: str = "codegen") -> SymbolicModel:
    """Return a model that applies layers of four features one after the other."""
    from hpml.symbolic import Input, SymbolicModel

    x: Any = Input(shape=(4,))
    inputs = x
    for layer in layers:
        x = layer(x)
    return SymbolicModel(inputs, x, execution=execution)


def residual_model(blocks: int, features: int = 4) -> SymbolicModel:
    """Return a model of blocks x + relu(linear(x)).

    >>> len(residual_model(5).graph.calls)
    15
    """
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    x: Any = Input(shape=(features,))
    inputs = x
    for _ in range(blocks):
        x = x + nn.ReLU()(nn.Linear(features, features)(x))
    return SymbolicModel(inputs, x, execution="codegen")
