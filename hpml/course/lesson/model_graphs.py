"""A model's graph as plain dictionaries, so that a student's function can run the network.

Layers keep their names; the inputs are ``input``, or ``input_1``, ``input_2``, ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpml.course.lesson.errors import LabError

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


def parents_of(model: SymbolicModel) -> dict[str, list[str]]:
    """Return the parents of each input and layer of a model, inputs first."""
    graph = model.graph
    several = len(graph.inputs) > 1
    names = {each: f"input_{n}" if several else "input" for n, each in enumerate(graph.inputs, 1)}
    parents: dict[str, list[str]] = {name: [] for name in names.values()}
    for call in graph.calls:
        if call.unpacks or len(call.results) != 1:
            raise LabError(
                object="a plain graph",
                expected="layers with one value",
                received=f"{call.name}, which creates or splits a tuple",
                remedy="Choose a model without tuples.",
            )
        parents[call.name] = [names[argument] for argument in call.arguments]
        if call.results[0] is not None:
            names[call.results[0]] = call.name
    return parents


def operations_of(model: SymbolicModel) -> dict[str, Callable[..., Any]]:
    """Return each layer by its name; call it with the values of its parents."""
    layers = model.ordered_layers
    return {call.name: layer for call, layer in zip(model.graph.calls, layers, strict=True)}


def edges_of(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the reversed graph: the children of each node."""
    edges: dict[str, list[str]] = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in dict.fromkeys(above):
            edges[parent].append(name)
    return edges


def calls_of(model: SymbolicModel) -> list[tuple[str, int, list[str]]]:
    """Return each call of a model: the result's name, the layer's number, and the arguments."""
    computed = {name: above for name, above in parents_of(model).items() if above}
    return [(name, number, above) for number, (name, above) in enumerate(computed.items())]
