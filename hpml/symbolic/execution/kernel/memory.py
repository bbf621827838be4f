"""Where values and weights of a graph are while the kernel runs: one array each.

The weights are read for each forward: ``torch.stack`` copies all tensors of one shape at once, and
sees that they have it, whatever happened to them meanwhile; a small kernel puts them in their
places. Looking which changed would take longer, and would miss what is written through
``weight.data``.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from hpml.symbolic.errors import GradientError
from hpml.symbolic.graph import Graph

from .code import Step, transposer


class Places(NamedTuple):
    """Places of values, counted in numbers a sample.

    Attributes:
        of: where each value begins.
        size: how many numbers all of them take.
    """

    of: list[int]
    size: int


def _sample_size(graph: Graph, value: int) -> int:
    return math.prod([size or 0 for size in (graph.values[value].shape or ())[1:]])


def places_of(graph: Graph, same: Mapping[int, int]) -> Places:
    """Give each value a place; what is ``same`` as another value shares that one's.

    A place is free again after the last call that reads it, never in that call: a layer's result
    must not overwrite what the layer still reads.

    >>> from hpml.symbolic import Input, SymbolicModel
    >>> from torch import nn
    >>> x = Input((3,))
    >>> y = nn.ReLU()(nn.ReLU()(nn.ReLU()(x)))
    >>> places_of(SymbolicModel(x, y).graph, {})
    Places(of=[0, 3, 6, 3], size=9)
    """
    count = len(graph.values)
    root = list(range(count))
    for value, other in same.items():  # in the order of the calls: the other is settled already
        root[value] = root[other]
    last = [-1] * count
    for position, call in enumerate(graph.calls):
        for value in call.arguments:
            last[root[value]] = position
        for result in call.results:
            if result is not None:
                last[root[result]] = position
    for value in (*graph.inputs, *graph.outputs):
        last[root[value]] = len(graph.calls)
    dying: dict[int, list[int]] = {}
    for value in range(count):
        if root[value] == value:
            dying.setdefault(last[value], []).append(value)

    places, taken = [-1] * count, 0
    free: dict[int, list[int]] = {}

    def place(value: int) -> None:
        nonlocal taken
        size = _sample_size(graph, value)
        if free.get(size):
            places[value] = free[size].pop()
        else:
            places[value] = taken
            taken += size

    for value in graph.inputs:
        place(value)
    for position, call in enumerate(graph.calls):
        for result in call.results:
            if result is not None and root[result] == result:
                place(result)
        for value in dying.get(position, ()):
            free.setdefault(_sample_size(graph, value), []).append(places[value])
    return Places([places[root[value]] for value in range(count)], taken)


class _Group(NamedTuple):
    """The tensors that one ``torch.stack`` copies: all of one shape.

    Attributes:
        parts: the name of a parameter, and the positions of the layers.
        places: a row each: where it begins in the copy, its rows, its place in the weights.
        shape: the shape of the copy.
        matrix: the same as rows, the transposer's.
    """

    parts: list[tuple[str, list[int]]]
    places: Any
    shape: tuple[int, ...]
    matrix: tuple[int, int]


class Weights:
    """Where each tensor and each constant of a graph's steps lies.

    Attributes:
        places: for each step where its constants begin; its tensors follow.
    """

    def __init__(self, steps: Sequence[tuple[int, Step]], layers: Sequence[nn.Module]) -> None:
        self.places: list[int] = []
        filled: list[tuple[int, int, float]] = []
        having: list[tuple[tuple[int, ...], str, int, int]] = []
        none: list[tuple[str, int]] = []
        place = 0
        for position, step in steps:
            self.places.append(place)
            for value in step.constants:
                filled.append((place, 1, value))
                place += 1
            for packed in step.tensors:
                size = math.prod(packed.shape)
                if layers[position]._parameters.get(packed.name) is None:
                    filled.append((place, size, packed.missing))
                    none.append((packed.name, position))
                else:
                    having.append((packed.shape, packed.name, position, place))
                place += size
        self._filled = np.zeros(place)
        for place, size, value in filled:
            self._filled[place : place + size] = value
        self._none = _parts(sorted(none))
        having.sort()
        self._groups = [
            _group(shape, list(members))
            for shape, members in itertools.groupby(having, operator.itemgetter(0))
        ]

    def read(self, parameters: Sequence[dict[str, Any]], dtype: Any) -> Any:
        """Return the weights as they are now, an array; ``None`` where the layers are to be called.

        That is where they are not what the kernel can read: of another dtype than the values, on
        another device, of another shape, of a type that may compute something else; or where the
        values are no numbers that the kernel computes with.

        Raises:
            GradientError: gradients are recorded, and a weight requires one.
        """
        if dtype not in ("float32", "float64") or any(
            tensor is not None for tensor in _tensors(self._none, parameters)
        ):
            return None
        recording = torch.is_grad_enabled()
        weights = self._filled.astype(dtype)
        kinds = {getattr(torch, str(dtype))}
        for group in self._groups:
            tensors = _tensors(group.parts, parameters)
            if recording and any(map(operator.attrgetter("requires_grad"), tensors)):
                raise GradientError(NO_GRADIENT)
            if not PLAIN.issuperset(map(type, tensors)):  # or one that is gone
                return None
            # Of two types `stack` would make one.
            if not kinds.issuperset(map(operator.attrgetter("dtype"), tensors)):
                return None
            try:
                copied = torch.stack(tensors)
            except RuntimeError:  # one of another shape, or elsewhere
                return None
            if copied.device.type != "cpu" or copied.shape != group.shape:
                return None
            transposer()(copied.numpy().reshape(group.matrix), group.places, weights)
        return weights


PLAIN = frozenset((torch.Tensor, nn.Parameter))
"""The types of tensors that are numbers and nothing else; a subclass may have operators its own."""

NO_GRADIENT = (
    "execution='numba' computes no gradients: call the model under torch.no_grad(), or choose "
    "another execution, such as model.execution = 'inlined', to train it"
)


def _parts(found: Sequence[tuple[str, int]]) -> list[tuple[str, list[int]]]:
    """Return the positions of the layers for each name."""
    return [
        (name, [position for _, position in those])
        for name, those in itertools.groupby(found, operator.itemgetter(0))
    ]


def _tensors(
    parts: Sequence[tuple[str, list[int]]], parameters: Sequence[dict[str, Any]]
) -> list[Any]:
    found: list[Any] = []
    for name, positions in parts:
        found.extend([parameters[position][name] for position in positions])
    return found


def _group(shape: tuple[int, ...], members: list[tuple[tuple[int, ...], str, int, int]]) -> _Group:
    rows, *width = shape
    places = [(rows * number, rows, place) for number, (*_, place) in enumerate(members)]
    parts = _parts([(name, position) for _, name, position, _ in members])
    matrix = (rows * len(members), math.prod(width))
    return _Group(parts, np.array(places, np.intp), (len(members), *shape), matrix)
