"""A model's graph as plain dictionaries, so that a function a student wrote can run a real network.

Layers are called as in the model, an input ``input``, several ``input_1``, ``input_2``: names that
can stand in generated source, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.course.errors import LabError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def parents_of(model: SymbolicModel) -> dict[str, list[str]]:
    """Return for each input and layer of a model those that it is computed from, inputs first."""
    graph = model.graph
    names = dict(zip(graph.inputs, _input_names(len(graph.inputs)), strict=True))
    parents: dict[str, list[str]] = {name: [] for name in names.values()}
    for call in graph.calls:
        if call.unpacks or len(call.results) != 1:
            raise LabError(
                f"A plain graph expects layers with one value, got {call.name}, which creates or "
                "splits a tuple."
            )
        parents[call.name] = [names[argument] for argument in call.arguments]
        if call.results[0] is not None:
            names[call.results[0]] = call.name
    return parents


def operations_of(model: SymbolicModel) -> dict[str, Callable[..., Any]]:
    """Return for each layer's name the layer: what `parents_of` says it is applied to is enough."""
    layers = model.ordered_layers
    return {call.name: layer for call, layer in zip(model.graph.calls, layers, strict=True)}


def edges_of(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the same graph read the other way: for each node those that use it."""
    edges: dict[str, list[str]] = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in dict.fromkeys(above):
            edges[parent].append(name)
    return edges


def calls_of(model: SymbolicModel) -> list[tuple[str, int, list[str]]]:
    """Return a model's calls: the result's name, the layer's number, what it is applied to."""
    made = {name: above for name, above in parents_of(model).items() if above}
    return [(name, number, above) for number, (name, above) in enumerate(made.items())]


def _input_names(count: int) -> list[str]:
    return ["input"] if count == 1 else [f"input_{i}" for i in range(1, count + 1)]
