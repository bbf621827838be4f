"""Which things a picture of a graph has, in which rows, and through which rows its lines pass."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hpml.base.drawing.graph import Drawable, DrawingError
from hpml.base.drawing.layering import Rows

LONGEST_CHAIN = 12
"""A straight chain of more layers than this is folded."""

KEPT_AT_ENDS = 5
"""How many layers of a folded chain are drawn at each end."""

_MOST_PLACES = 2000
_PARALLEL = 0.14


def fold_chains(graph: Drawable) -> tuple[tuple[int, ...], ...]:
    """Group the calls of a graph: one by one, but the middle of each long chain as one group.

    A chain is a run of calls with one argument and one result, each the only reader of the last.
    """
    reads = Counter(value for call in graph.calls for value in call.arguments)
    reads.update(graph.outputs)
    is_simple = [len(call.arguments) == len(call.results) == 1 for call in graph.calls]
    maker = {result: i for i, call in enumerate(graph.calls) for result in call.results}
    chains: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for position, call in enumerate(graph.calls):
        argument = call.arguments[0] if call.arguments else -1
        previous = maker.get(argument, -1)
        goes_on = previous in chain_of and is_simple[position] and is_simple[previous]
        if goes_on and reads[argument] == 1:
            chain = chain_of[previous]
        else:
            chain = []
            chains.append(chain)
        chain.append(position)
        chain_of[position] = chain
    groups: list[tuple[int, ...]] = []
    for chain in chains:
        if len(chain) > LONGEST_CHAIN:
            middle = chain[KEPT_AT_ENDS:-KEPT_AT_ENDS]
            groups.extend((i,) for i in chain[:KEPT_AT_ENDS])
            groups.append(tuple(middle))
            groups.extend((i,) for i in chain[-KEPT_AT_ENDS:])
        else:
            groups.extend((i,) for i in chain)
    return tuple(sorted(groups))


class Route(NamedTuple):
    """Through which things a line passes, and how far beside the centre of the last it ends."""

    value: int
    group: int
    is_result: bool
    argument: int
    things: tuple[int, ...]
    offset: float


def rows_and_routes(
    graph: Drawable, groups: Sequence[tuple[int, ...]], shown: Sequence[int]
) -> tuple[Rows, list[Route]]:
    """Put values and labels into rows by the longest path, and give every line its places.

    Lines from one value to several far readers share their places for as long as they go down
    together: one trunk that branches.
    """
    calls = [(graph.calls[g[0]].arguments, graph.calls[g[-1]].results) for g in groups]
    thing_of = {value: thing for thing, value in enumerate(shown)}
    row_of = dict.fromkeys(range(len(graph.inputs)), 0)
    for thing, (arguments, results) in enumerate(calls, len(shown)):
        row_of[thing] = max((row_of[thing_of[a]] for a in arguments), default=-1) + 1
        for result in results:
            if result is not None:
                row_of[thing_of[result]] = row_of[thing] + 1

    rows: list[list[int]] = [[] for _ in range(max(row_of.values(), default=-1) + 1)]
    for thing in range(len(shown) + len(calls)):
        rows[row_of[thing]].append(thing)
    trunk: dict[tuple[int, int], int] = {}
    count = len(shown) + len(calls)
    lines: dict[tuple[int, int], None] = {}
    routes: list[Route] = []
    for group, (arguments, results) in enumerate(calls):
        label = len(shown) + group
        times = Counter(arguments)
        met = dict.fromkeys(times, 0)
        for argument, value in enumerate(arguments):
            things = [thing_of[value]]
            for number in range(row_of[things[0]] + 1, row_of[label]):
                if (value, number) not in trunk:
                    if len(trunk) >= _MOST_PLACES:
                        raise DrawingError(
                            "a picture of a graph expected lines that an eye can follow, received "
                            f"{len(graph.calls):,} layers with so many long connections that they "
                            f"pass more than {_MOST_PLACES:,} rows: draw a part of it"
                        )
                    trunk[value, number] = count
                    rows[number].append(count)
                    count += 1
                things.append(trunk[value, number])
            things.append(label)
            lines.update(dict.fromkeys(itertools.pairwise(things)))
            offset = (met[value] - (times[value] - 1) / 2) * _PARALLEL
            met[value] += 1
            routes.append(Route(value, group, False, argument, tuple(things), offset))
        for position, result in enumerate(results):
            if result is not None:
                lines[label, thing_of[result]] = None
                things = [label, thing_of[result]]
                routes.append(Route(result, group, True, position, tuple(things), 0.0))
    solid = tuple(thing < len(shown) + len(calls) for thing in range(count))
    return Rows(tuple(tuple(row) for row in rows), tuple(lines), solid), routes
