"""Run once what a loop does not change: a model split into what is known and what remains.

A recurrent model is called again and again with one argument that changes and others that do not.
What depends on the latter alone has the same value each time.

Source: RTen's ``Model::partial_run``,
https://github.com/robertknight/rten/blob/main/docs/performance.md
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.dropout import _DropoutNd

from hpml.base.errors import describe

from . import useful_layers
from .building.handles import SymbolicData, handle_of
from .building.interception import handle_token
from .building.node import Node
from .errors import ArgumentError
from .graph import Call, Graph
from .graph.reading import nodes_from_graph

Build = Callable[[list[SymbolicData], Any], nn.Module]


class Split(NamedTuple):
    """A graph in two: positions of the calls that are known, and the values that cross over."""

    known: list[int]
    crossing: list[int]


class PartialRun(nn.Module):
    """What remains of a model: takes the inputs that vary, and holds what was computed once.

    The values held must not be changed in place. The rest gets copies if one of its calls does so.

    Attributes:
        rest: the model of what remains; its inputs are those that vary, then the values held.
        evaluated: the names of the calls that were made once and for all.
    """

    def __init__(
        self, rest: Any, varying: int, values: Sequence[Any], evaluated: tuple[str, ...]
    ) -> None:
        super().__init__()
        self.rest, self.evaluated, self._varying = rest, evaluated, varying
        self.training = rest.training
        self._copies = any(map(_changes_memory, rest.graph.calls))
        self._held = list(values)
        for place, value in enumerate(values):
            if isinstance(value, torch.Tensor):  # moves with the model
                self.register_buffer(f"value_{place}", value, persistent=False)
                self._held[place] = None

    @property
    def values(self) -> list[Any]:
        """The values that were computed once, in the order in which the rest takes them."""
        held = [self._buffers.get(f"value_{p}", value) for p, value in enumerate(self._held)]
        if not self._copies:
            return held
        return [value.clone() if isinstance(value, torch.Tensor) else value for value in held]

    def forward(self, *inputs: Any) -> Any:
        if len(inputs) != self._varying:
            raise ArgumentError(
                f"what remains of the model expected {self._varying} input(s), those that were "
                f"not known, received {len(inputs)}: give them in the order of the model's inputs"
            )
        return self.rest(*inputs, *self.values)


def partial_run(model: Any, known: Mapping[Any, Any], build: Build) -> PartialRun:
    """Compute what depends on the known inputs alone; return the model of what remains."""
    graph, layers = model.graph, model._execution_order_layers
    values = _by_number(model, known)
    if not values or len(values) == len(graph.inputs):
        raise ArgumentError(
            f"partial_run expected some of the model's {len(graph.inputs)} inputs to be known and "
            f"at least one to vary, received {len(values)}: with all of them call the model"
        )
    split = _split(graph, layers, set(values))
    nodes, token = nodes_from_graph(graph, layers), handle_token()
    varying = [value for value in graph.inputs if value not in values]

    def handles(numbers: Sequence[int], among: Sequence[Node] = nodes) -> list[SymbolicData]:
        return [handle_of(among[number], token) for number in numbers]

    computed = [value for value in split.crossing if value not in values]
    found = dict(values)
    if computed:
        once = graph._replace(calls=tuple([graph.calls[position] for position in split.known]))
        made = nodes_from_graph(once, [layers[position] for position in split.known])
        results = build(handles(list(values), made), handles(computed, made))(*values.values())
        found |= zip(computed, [results] if len(computed) == 1 else results, strict=True)
    outputs: Any = handles(graph.outputs)
    if graph.output_names:
        outputs = dict(zip(graph.output_names, outputs, strict=True))
    rest = build(handles([*varying, *split.crossing]), outputs)
    rest.training = model.training  # and not rest.train(): the layers belong to the model too
    evaluated = tuple(graph.calls[position].name for position in split.known)
    return PartialRun(rest, len(varying), [found[value] for value in split.crossing], evaluated)


def _by_number(model: Any, known: Mapping[Any, Any]) -> dict[int, Any]:
    """Return the known values by the number of their input, in the order of the inputs."""
    if not isinstance(known, Mapping):
        raise ArgumentError(
            f"partial_run expected a dict from the known inputs to their values, received "
            f"{describe(known)}: write partial_run({{model.inputs[0]: value}})"
        )
    nodes = model._all_nodes()
    places = {id(nodes[value]): value for value in model.graph.inputs}
    found = {}
    for key, value in known.items():
        place = places.get(id(key._node)) if isinstance(key, SymbolicData) else None
        if place is None:
            raise ArgumentError(
                f"partial_run expected inputs of this model as keys, received {key!r}: "
                "they are in model.inputs"
            )
        found[place] = value
    return dict(sorted(found.items()))


def _split(graph: Graph, layers: Sequence[nn.Module], known: set[int]) -> Split:
    """Follow the calls in order: known is what depends on known values, and happens only then."""
    made, changed = set(known), False
    positions: dict[int, None] = {}
    crossing: dict[int, None] = {}
    for position, (call, layer) in enumerate(zip(graph.calls, layers, strict=True)):
        # A change in place waits for a reader in the rest, and what comes later may see the change.
        changed |= _changes_memory(call) and not positions.keys() >= set(call.after)
        known_here = not changed and made.issuperset(call.arguments)
        if known_here and not any(map(_varies_by_itself, modules_in(layer))):
            positions[position] = None
            made.update(result for result in call.results if result is not None)
        else:
            crossing |= dict.fromkeys(a for a in call.arguments if a in made)
    crossing |= dict.fromkeys(value for value in graph.outputs if value in made)
    return Split(list(positions), list(crossing))


_OPERATORS = (
    *(useful_layers.AddOpLayer, useful_layers.SubOpLayer, useful_layers.MulOpLayer),
    *(useful_layers.ModOpLayer, useful_layers.MatmulOpLayer, useful_layers.ConcatLayer),
    *(useful_layers.StackLayer, useful_layers.ReshapeLayer, useful_layers.SliceLayer),
    *(useful_layers.SliceLayerSymbolicIdx, useful_layers.UnpackLayer, useful_layers.GetAttr),
)
_RANDOM = ("rand", "dropout", "bernoulli", "normal", "multinomial", "poisson", "rrelu", "gumbel")


def modules_in(layer: nn.Module) -> list[nn.Module]:
    """Return the modules in a layer, also one that it calls and that is registered elsewhere."""
    called = getattr(layer, "function", None)
    return [*layer.modules(), *(called.modules() if isinstance(called, nn.Module) else ())]


def _changes_memory(call: Call) -> bool:
    return call.effects is not None and call.effects.changed


def _varies_by_itself(module: nn.Module) -> bool:
    """Return whether a layer may draw or count in its present mode; one of unknown code may."""
    if isinstance(module, useful_layers.FunctionLayer):
        home = (getattr(module.function, "__module__", None) or "torch").partition(".")[0]
        known = home in ("torch", "_operator") or isinstance(module.function, nn.Module)
        return not known or any(word in _name_of(module) for word in _RANDOM)
    if not (
        isinstance(module, _OPERATORS)
        or type(module).__module__.startswith(("torch.", "hpml.symbolic."))
    ):
        return True
    drops = isinstance(module, (_NormBase, _DropoutNd, nn.RReLU)) or getattr(
        module, "dropout", False
    )
    return bool(module.training and drops)


def _name_of(module: Any) -> str:
    return str(module.method or getattr(module.function, "__name__", ""))
