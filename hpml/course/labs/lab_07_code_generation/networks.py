"""The networks of lab 07, and several ways to write the forward of a deep one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor, nn

    from hpml.symbolic import SymbolicModel


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
"""The source in pytorch-symbolic's documentation, "How is Symbolic Model optimized?"."""


def documents_example() -> SymbolicModel:
    """Return the model with two inputs and 44 layers from that documentation."""
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    def run_of(length: int, x: Any) -> Any:
        for _ in range(length):
            x = nn.Linear(4, 4)(x)
        return x

    first, second = Input(shape=(4,)), Input(shape=(4,))
    below = run_of(10, second)
    joined = run_of(2, run_of(10, first) + below)
    left, right = run_of(10, joined), run_of(10, joined)
    return SymbolicModel((first, second), right + left, execution="codegen")


def chain_model(
    layers: Sequence[nn.Module], execution: str = "codegen", features: int = 4
) -> SymbolicModel:
    """Return a model that applies layers one after the other."""
    from hpml.symbolic import Input, SymbolicModel

    x: Any = Input(shape=(features,))
    inputs = x
    for layer in layers:
        x = layer(x)
    return SymbolicModel(inputs, x, execution=execution)


def residual_model(blocks: int) -> SymbolicModel:
    """Return a model of blocks x + relu(linear(x))."""
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    x: Any = Input(shape=(4,))
    inputs = x
    for _ in range(blocks):
        x = x + nn.ReLU()(nn.Linear(4, 4)(x))
    return SymbolicModel(inputs, x, execution="codegen")


@dataclass(frozen=True)
class Chain:
    """A chain of layers, and several ways to write its forward."""

    layers: Sequence[nn.Module]
    model: SymbolicModel
    ways: dict[str, Callable[..., Any]]


def linear_chain(n_layers: int) -> Chain:
    """Return a chain of linear layers with four features."""
    from hpml.course.models import linear_layers

    return chain_of(linear_layers(n_layers))


def chain_of(layers: Sequence[nn.Module]) -> Chain:
    """Return a chain of layers, each of which must accept the result of the previous one."""
    from hpml.course.models import DeepLinear
    from hpml.symbolic.config import loop_length

    names = [f"self.fc{i}" for i in range(len(layers))]
    holder = _written(names, "self")
    for i, layer in enumerate(layers):
        holder.add_module(f"fc{i}", layer)
    places = _written([f"l[{i}]" for i in range(len(layers))], "self.ready")
    object.__setattr__(places, "ready", list(layers))
    with loop_length(float("inf")):
        model = chain_model(layers)
    ways: dict[str, nn.Module] = {
        "loop": DeepLinear(layers),
        "self.fc0, ...": holder,
        "l[0], ...": places,
        "codegen": model,
    }
    return Chain(layers, model, dict(ways))


def nothings(count: int) -> list[nn.Module]:
    """Return `count` modules that return their input."""
    from torch import nn

    class Nothing(nn.Module):
        def forward(self, h: Any) -> Any:
            return h

    return [Nothing() for _ in range(count)]


def _written(layers: Sequence[str], fetched: str) -> nn.Module:
    """Return a module whose forward has a line for each layer."""
    from torch import nn

    lines = ["def forward(self, h):", f"    l = {fetched}"]
    lines += [f"    h = {layer}(h)" for layer in layers]
    forward = function_of("\n".join([*lines, "    return h"]))
    written: nn.Module = type("Written", (nn.Module,), {"forward": forward})()
    return written


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that generated source defines."""
    scope: dict[str, Any] = {}
    exec(text, scope)
    return next(value for value in scope.values() if isinstance(value, FunctionType))


def block_forwards() -> dict[str, nn.Module]:
    """Return a transformer's block as generated and inlined models, by hand and by torch.fx."""
    from hpml.course.models import transformer_block_forwards

    return transformer_block_forwards("codegen", "inlined")


def merged_linear(layers: Sequence[nn.Linear]) -> Callable[[Tensor], tuple[Tensor, ...]]:
    """Return one linear layer that computes the results of several layers of one input.

    Args:
        layers: with biases, all of one shape.

    Returns:
        A function of the input, with the result of each layer.
    """
    import torch
    from torch import nn

    one, count = layers[0], len(layers)
    merged = nn.Linear(one.in_features, count * one.out_features)
    with torch.no_grad():
        merged.weight.copy_(torch.cat([each.weight for each in layers]))
        merged.bias.copy_(torch.cat([each.bias for each in layers]))
    return lambda x: merged(x).chunk(count, -1)
