"""Where each value of a graph lies while the kernel runs: one array, used again as values die."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from hpml.symbolic.graph import Graph


class Places(NamedTuple):
    """Places of values, counted in numbers a sample.

    Attributes:
        of: where each value begins.
        size: how many numbers all of them take.
    """

    of: list[int]
    size: int


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
        size = math.prod((graph.values[value].shape or ())[1:])
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
            free.setdefault(math.prod((graph.values[value].shape or ())[1:]), []).append(
                places[value]
            )
    return Places([places[root[value]] for value in range(count)], taken)
