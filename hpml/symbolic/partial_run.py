"""Split a model into calls that depend on constant inputs, which run once, and the other calls.

A recurrent model, for example, is called many times with one input that changes and others that do
not.

Source: RTen's ``Model::partial_run``,
https://github.com/robertknight/rten/blob/main/docs/performance.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from hpml.base.errors import describe

from . import useful_layers
from .errors import ArgumentError
from .graph import Graph


class PartialRun(nn.Module):
    """The remaining part of a model, which takes the inputs that vary.

    Attributes:
        rest: the model of the remaining calls; its inputs are those that vary, then stored values.
        evaluated: the names of the calls that ran in advance.
    """

    def __init__(
        self,
        rest: nn.Module,
        varying: int,
        values: Sequence[Any],
        evaluated: tuple[str, ...],
        shared: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__()
        self._shared = shared
        self.rest, self.evaluated, self._varying = rest, evaluated, varying
        self.training = rest.training
        self._stored = list(values)
        for position, value in enumerate(values):
            if isinstance(value, torch.Tensor):  # a buffer moves with the model
                self.register_buffer(f"value_{position}", value, persistent=False)
                self._stored[position] = None

    def forward(self, *inputs: Any) -> Any:
        if len(inputs) != self._varying:
            raise ArgumentError(
                object="inputs of the remaining model",
                expected=f"{self._varying}, those that were not known",
                received=str(len(inputs)),
                remedy="Pass them in the order of the model's inputs.",
            )
        stored = [self._buffers.get(f"value_{i}", value) for i, value in enumerate(self._stored)]
        result = self.rest(*inputs, *stored)
        if not self._shared:
            return result
        # The caller may change a result in place, which must not change a stored value.
        if isinstance(result, dict):
            return {
                key: _copied(part) if position in self._shared else part
                for position, (key, part) in enumerate(result.items())
            }
        if not isinstance(result, tuple):
            return _copied(result)
        parts = enumerate(result)
        return tuple([_copied(part) if i in self._shared else part for i, part in parts])


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _shared_outputs(graph: Graph, later: Sequence[int], crossing: Sequence[int]) -> frozenset[int]:
    """Return the positions of the outputs that may be stored values or share their memory."""
    shared = set(crossing)
    for call in (graph.calls[position] for position in later):
        effects = call.effects
        if effects is not None and effects.shares and call.arguments[effects.argument] in shared:
            shared.update(result for result in call.results if result is not None)
    return frozenset(i for i, output in enumerate(graph.outputs) if output in shared)


def partial_run(
    model: Any, known: Mapping[Any, Any], build: Callable[[Graph, list[nn.Module]], nn.Module]
) -> PartialRun:
    """Run the calls that depend on the known inputs alone; return a model of the other calls."""
    graph, layers = model.graph, model._execution_order_layers
    places = dict(zip(model.inputs, graph.inputs, strict=True))
    if not isinstance(known, Mapping) or not places.keys() >= known.keys():
        raise ArgumentError(
            object="known of partial_run",
            expected="a dict from inputs of this model to their values",
            received=describe(known),
            remedy="Take the keys from model.inputs, {model.inputs[1]: value}.",
        )
    values = {value: known[key] for key, value in places.items() if key in known}
    if not values or len(values) == len(graph.inputs):
        raise ArgumentError(
            object="known of partial_run",
            expected=f"some of the model's {len(graph.inputs)} inputs, with at least one that "
            "varies",
            received=str(len(values)),
            remedy="With all of them known, call the model.",
        )
    once, later, crossing = _split(graph, layers, set(values))

    def part(positions: list[int], inputs: list[int], outputs: Sequence[int]) -> nn.Module:
        calls = tuple([graph.calls[position] for position in positions])
        subgraph = graph._replace(calls=calls, inputs=tuple(inputs), outputs=tuple(outputs))
        if outputs is not graph.outputs:
            subgraph = subgraph._replace(output_names=())
        return build(subgraph, [layers[position] for position in positions])

    computed = [value for value in crossing if value not in values]
    value_of = dict(values)
    if computed:
        results = part(once, list(values), computed)(*values.values())
        value_of |= zip(computed, [results] if len(computed) == 1 else results, strict=True)
    varying = [value for value in graph.inputs if value not in values]
    rest = part(later, [*varying, *crossing], graph.outputs)
    rest.training = model.training  # rest.train() would change the layers, which are shared
    evaluated = tuple([graph.calls[position].name for position in once])
    # The caller may change in place what it passed.
    stored = [_copied(value_of[value]) for value in crossing]
    shared = _shared_outputs(graph, later, crossing)
    return PartialRun(rest, len(varying), stored, evaluated, shared)


def _split(
    graph: Graph, layers: Sequence[nn.Module], known: set[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return the calls that depend on known values alone, the others, and the values in between."""
    available = set(known)
    once, later = [], []
    crossing: dict[int, None] = {}
    for position, (call, layer) in enumerate(zip(graph.calls, layers, strict=True)):
        if call.effects is not None and call.effects.changed:
            raise ArgumentError(
                object="model of partial_run",
                expected="no operations in place, which would change the stored values",
                received=call.name,
                remedy="Make the layer with inplace=False.",
            )
        if available.issuperset(call.arguments) and not any(map(_may_vary, layer.modules())):
            once.append(position)
            available.update(result for result in call.results if result is not None)
        else:
            later.append(position)
            crossing |= dict.fromkeys(a for a in call.arguments if a in available)
    crossing |= dict.fromkeys(value for value in graph.outputs if value in available)
    return once, later, list(crossing)


_ARBITRARY_CODE = (
    *(useful_layers.LambdaOpLayer, useful_layers.CallbackLayer),
    *(useful_layers.AggregateLayer, useful_layers.MethodCall),
)
_VARIES_IN_TRAINING = (
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm),
    *(nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d),
    *(nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, nn.AlphaDropout),
    *(nn.FeatureAlphaDropout, nn.RReLU),
)
_RANDOM = ("rand", "dropout", "bernoulli", "normal", "multinomial", "poisson", "rrelu", "gumbel")


def _may_vary(module: nn.Module) -> bool:
    """Return whether a layer, in its present mode, may be random or have state that changes."""
    if isinstance(module, useful_layers.FunctionLayer):
        package = (getattr(module.function, "__module__", None) or "torch").partition(".")[0]
        is_known = package in ("torch", "_operator") or isinstance(module.function, nn.Module)
        return not is_known or any(word in module.name for word in _RANDOM)
    package = type(module).__module__
    if isinstance(module, _ARBITRARY_CODE) or not package.startswith(("torch.", "hpml.symbolic.")):
        return True
    varies_in_training = isinstance(module, _VARIES_IN_TRAINING) or getattr(
        module, "dropout", False
    )
    return bool(module.training and varies_in_training)
