"""Assign the items of a picture to rows, and route its lines through them.

An item is a value, the label of a group of calls, or a point at which a line passes a row.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hpml.base.drawing.graph import Drawable
from hpml.base.drawing.layering import Rows

LONGEST_CHAIN = 12
"""Longer straight chains of layers are folded."""

KEPT_AT_ENDS = 5
"""Number of layers drawn at each end of a folded chain."""


def fold_chains(graph: Drawable) -> tuple[tuple[int, ...], ...]:
    """Group the calls of a graph: the middle of each long chain together, all others alone.

    A chain is a sequence of calls with one argument and one result that no other call reads.
    """
    reads = Counter(value for call in graph.calls for value in call.arguments)
    reads.update(graph.outputs)
    chain_ending_with: dict[int | None, list[int]] = {}
    chains: list[list[int]] = []
    for position, call in enumerate(graph.calls):
        is_simple = len(call.arguments) == len(call.results) == 1
        chain = chain_ending_with.get(call.arguments[0]) if is_simple else None
        if chain is None or reads[call.arguments[0]] > 1:
            chain = []
            chains.append(chain)
        chain.append(position)
        if is_simple:
            chain_ending_with[call.results[0]] = chain
    groups: list[tuple[int, ...]] = []
    for chain in chains:
        ends = KEPT_AT_ENDS if len(chain) > LONGEST_CHAIN else len(chain)
        groups += [(i,) for i in [*chain[:ends], *chain[ends:][-ends:]]]
        groups += [tuple(chain[ends:-ends])] if chain[ends:-ends] else []
    return tuple(sorted(groups))


class Route(NamedTuple):
    """The items of a line from a value to a group that reads it, or from a group to its result."""

    value: int
    group: int
    is_result: bool
    items: tuple[int, ...]


def rows_and_routes(
    graph: Drawable, groups: Sequence[tuple[int, ...]], shown: Sequence[int]
) -> tuple[Rows, list[Route]]:
    """Put values and labels into rows by the longest path, and route every line."""
    item_of = {value: item for item, value in enumerate(shown)}
    drawn = len(shown) + len(groups)
    row_of = dict.fromkeys(range(len(graph.inputs)), 0)
    reads = [tuple(dict.fromkeys(graph.calls[group[0]].arguments)) for group in groups]
    makes = [[r for r in graph.calls[group[-1]].results if r is not None] for group in groups]
    for group, _ in enumerate(groups):
        label = len(shown) + group
        row_of[label] = max((row_of[item_of[value]] for value in reads[group]), default=-1) + 1
        row_of.update(dict.fromkeys((item_of[value] for value in makes[group]), row_of[label] + 1))
    rows: list[list[int]] = [[] for _ in range(max(row_of.values(), default=-1) + 1)]
    for item in range(drawn):
        rows[row_of[item]].append(item)

    # Lines from one value to several distant readers share a trunk.
    trunk: dict[tuple[int, int], int] = {}
    routes: list[Route] = []
    for group, _ in enumerate(groups):
        label = len(shown) + group
        for value in reads[group]:
            items = [item_of[value]]
            for row in range(row_of[items[0]] + 1, row_of[label]):
                if (value, row) not in trunk:
                    trunk[value, row] = drawn + len(trunk)
                    rows[row].append(trunk[value, row])
                items.append(trunk[value, row])
            routes.append(Route(value, group, False, (*items, label)))
        routes += [Route(value, group, True, (label, item_of[value])) for value in makes[group]]
    lines = dict.fromkeys(pair for route in routes for pair in itertools.pairwise(route.items))
    solid = tuple(item < drawn for item in range(drawn + len(trunk)))
    return Rows(tuple(map(tuple, rows)), tuple(lines), solid), routes
