"""Build a graph from nodes: find those between inputs and outputs, sort, number and name them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from torch import nn

from hpml.symbolic.building.node import Memory, Node, TensorSpec, layer_name, oldest_first
from hpml.symbolic.errors import ArgumentError, ForeignNodeError

from .data import Call, Graph, Value


class Collected(NamedTuple):
    """A graph, the module of each call, and the node of each value."""

    graph: Graph
    layers: list[nn.Module]
    nodes: list[Node]  # empty for a graph that is part of another


def collect(
    inputs: Sequence[Node], outputs: Sequence[Node], output_names: Sequence[str] = ()
) -> Collected:
    """Collect the graph between ``inputs``, which may be any nodes, and ``outputs``.

    An input that no output needs stays an argument of the model and is ignored.

    Raises:
        ArgumentError: two inputs are the same node or have the same name.
        ForeignNodeError: an output needs an input that is not among ``inputs``.
    """
    _check_inputs(inputs)
    nodes = [*inputs, *oldest_first(outputs, above=frozenset(inputs))]
    number = {node: position for position, node in enumerate(nodes)}
    values = [_value_of(node) for node in nodes]
    for position, node in enumerate(inputs):
        name = (node.layer is None and node.custom_name) or ""
        values[position] = values[position]._replace(name=name, sizes_read=node.sizes_read)
    calls: list[Call] = []
    layers: list[nn.Module] = []
    name_for = _Namer()
    unpacked: dict[int, int] = {}  # the call of each unpacking layer
    modules: dict[int, str] = {}
    readers: dict[Memory, list[int]] = {}  # the calls so far that read a memory
    for result, node in enumerate(nodes[len(inputs) :], len(inputs)):
        layer = node.layer
        if layer is None:
            raise _not_connected(node, inputs, outputs)
        results: list[int | None] = [None] * (node.parts or 1)
        earlier = unpacked.get(id(layer)) if node.parts else None
        if earlier is not None:
            results = list(calls[earlier].results)
        results[node.position] = result
        if earlier is not None:
            calls[earlier] = calls[earlier]._replace(results=tuple(results))
            continue
        if node.parts:
            unpacked[id(layer)] = len(calls)
        layer_type = layer_name(layer)
        name = name_for(layer_type, node.custom_name)
        arguments = tuple([number[parent] for parent in node.parents])
        # A layer with several calls is registered once, and by each name that the user gave it.
        module = modules.setdefault(id(layer), name)
        if node.custom_name and name != module:
            module = name
        after: tuple[int, ...] = ()
        if node.effects is not None and node.effects.changed:
            changed = node.parents[node.effects.argument].memory
            if changed is not None:
                # Later readers wait for this call, and so for the calls that it waits for.
                after = tuple(readers.get(changed, ()))
                readers[changed] = [len(calls)]
        for parent in node.parents:
            if parent.memory is not None:
                readers.setdefault(parent.memory, []).append(len(calls))
        details = (node.parts > 0, node.origin, module, node.effects, after)
        calls.append(Call(name, layer_type, arguments, tuple(results), *details))
        layers.append(layer)
    graph = Graph(
        tuple(values),
        tuple(range(len(inputs))),
        tuple(calls),
        tuple([number[node] for node in outputs]),
        tuple(output_names),
    )
    return Collected(graph, layers, nodes)


def _not_connected(node: Node, inputs: Sequence[Node], outputs: Sequence[Node]) -> ForeignNodeError:
    received = ", ".join(node.describe() for node in inputs) or "none"
    what = outputs[0].describe() if len(outputs) == 1 else f"one of {len(outputs)}"
    remedy = "Add it to inputs, or build the output from the inputs alone."
    if node.origin is not None and any(
        other.origin == node.origin and other.index > min(output.index for output in outputs)
        for other in inputs
    ):
        remedy = (
            "It is an earlier Input of the same line, which ran again after the output was built, "
            "as when a cell is run again: run the code from that Input to the model together."
        )
    return ForeignNodeError(
        f"An output ({what}) needs the {node.describe()}, which is not among the model's inputs: "
        f"expected every input that the outputs depend on, received {received}.",
        object="inputs",
        expected=f"every input that the outputs depend on, also the {node.describe()}",
        received=received,
        remedy=remedy,
    )


class _Namer:
    """Assign each layer a unique name: its type and a number, or the name that the user chose."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._taken: set[str] = set()
        self._bases: dict[str, str] = {}

    def __call__(self, layer_type: str, custom_name: str | None) -> str:
        base = custom_name or self._bases.get(layer_type)
        if base is None:  # a class name may be any text, but layer names appear in source and paths
            base = re.sub(r"\W|^(?=\d)", "_", layer_type) or "layer"
            self._bases[layer_type] = base
        count = self._counts.get(base, 0) + 1
        name = base if custom_name and count == 1 else f"{base}_{count}"
        while name in self._taken:  # a custom name may look like a generated one
            count += 1
            name = f"{base}_{count}"
        self._counts[base] = count
        self._taken.add(name)
        return name


def _value_of(node: Node) -> Value:
    if isinstance(node.spec, TensorSpec):
        return _tensor_value(node.spec)
    return Value(None, type(node.spec.value).__name__)


@functools.lru_cache(maxsize=1024)
def _tensor_value(spec: TensorSpec) -> Value:
    # Cached, because a deep model has few distinct shapes.
    kind = str(spec.dtype).removeprefix("torch.")
    shape = tuple([size if isinstance(size, int) else None for size in spec.shape])
    return Value(shape, kind)


def _check_inputs(inputs: Sequence[Node]) -> None:
    names = [node.custom_name for node in inputs if node.layer is None and node.custom_name]
    if len(set(inputs)) != len(inputs) or len(set(names)) != len(names):
        raise ArgumentError(
            object="inputs",
            expected="different symbolic values with different names",
            received=f"{', '.join(node.describe() for node in inputs)} with the names {names}",
            remedy="Pass each value once, and give each Input another name.",
        )
