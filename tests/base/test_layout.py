from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpml.base.drawing import Dataflow, DrawingError, NamedCall, dataflow, fold_chains
from hpml.base.drawing import lay_out as laid_out
from hpml.base.drawing.grid import Rectangle
from hpml.base.drawing.layering import Rows, count_crossings, order_rows
from hpml.base.drawing.layout import Layout, Line
from hpml.base.drawing.routing import KEPT_AT_ENDS, LONGEST_CHAIN
from tests.parts import raises

CLOSE = 1e-9
EXAMPLES = 200 if os.environ.get("HPML_LONG") else 25


def graph_of(inputs: int, *calls: tuple[int, ...], outputs: tuple[int, ...] = ()) -> Dataflow:
    """Return a graph in which each call makes one value from those it names."""
    count = inputs + len(calls)
    return Dataflow(
        ("(1, 4)",) * count,
        tuple(range(inputs)),
        tuple(
            NamedCall(f"Layer_{i}", arguments, (inputs + i,)) for i, arguments in enumerate(calls)
        ),
        outputs or (count - 1,),
    )


def lay_out(graph: Dataflow, **options: Any) -> Layout:
    """Return the layout with the names in boxes and on labels, if nothing else is asked for."""
    node_text = options.pop("node_text", graph.names.__getitem__)
    edge_text = options.pop("edge_text", lambda call: graph.calls[call].name)
    return laid_out(graph, node_text, edge_text, **options)


def chain(length: int) -> Dataflow:
    return graph_of(1, *[(i,) for i in range(length)])


@st.composite
def graphs(draw: st.DrawFn) -> Dataflow:
    inputs = draw(st.integers(1, 3))
    calls = []
    for made in range(draw(st.integers(0, 24))):
        known = inputs + made
        arguments = st.lists(st.integers(max(0, known - 8), known - 1), min_size=1, max_size=3)
        calls.append(tuple(draw(arguments)))
    known = inputs + len(calls)
    outputs = draw(st.lists(st.integers(0, known - 1), min_size=1, max_size=3))
    graph = graph_of(inputs, *calls, outputs=tuple(outputs))
    unpacked = [
        call._replace(results=(None, *call.results))
        if len(call.arguments) == 1 and draw(st.booleans())
        else call
        for call in graph.calls
    ]
    return graph._replace(calls=tuple(unpacked))


def rectangles(layout: Layout) -> list[Rectangle]:
    return [thing.rectangle for thing in (*layout.boxes, *layout.labels)]


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return (
        min(a.right, b.right) - max(a.left, b.left) > CLOSE
        and min(a.bottom, b.bottom) - max(a.top, b.top) > CLOSE
    )


def along(line: Line, steps: int = 12) -> Iterator[tuple[float, float]]:
    """Yield points on the curves of a line, from its start to its end."""
    for first in range(0, len(line.points) - 1, 3):
        p0, p1, p2, p3 = line.points[first : first + 4]
        for step in range(steps + 1):
            t = step / steps
            u = 1 - t
            weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
            yield (
                sum(w * p[0] for w, p in zip(weights, (p0, p1, p2, p3), strict=True)),
                sum(w * p[1] for w, p in zip(weights, (p0, p1, p2, p3), strict=True)),
            )


def expected_lines(graph: Dataflow) -> list[tuple[int, int, bool]]:
    lines = set()
    for group in fold_chains(graph):
        first, last = graph.calls[group[0]], graph.calls[group[-1]]
        lines |= {(value, group[0], False) for value in first.arguments}
        lines |= {(value, group[0], True) for value in last.results if value is not None}
    return sorted(lines)


@settings(deadline=None, max_examples=EXAMPLES)
@given(graphs(), st.booleans())
def test_nothing_overlaps_and_everything_is_on_the_page(graph: Dataflow, rotated: bool) -> None:
    layout = lay_out(graph, rotated=rotated)

    places = rectangles(layout)
    assert not [pair for pair in itertools.combinations(places, 2) if overlap(*pair)]
    for box in places:
        assert box.left >= -CLOSE
        assert box.top >= -CLOSE
        assert box.right <= layout.width + CLOSE
        assert box.bottom <= layout.height + CLOSE


@settings(deadline=None, max_examples=EXAMPLES)
@given(graphs(), st.booleans())
def test_lines_go_one_way_and_through_no_box(graph: Dataflow, rotated: bool) -> None:
    layout = lay_out(graph, rotated=rotated)
    for line in layout.lines:
        points = list(along(line))
        forward = [x if rotated else y for x, y in points]
        assert all(b >= a - CLOSE for a, b in itertools.pairwise(forward))
        assert forward[-1] > forward[0]
        for box in rectangles(layout):
            for x, y in points:
                inside_x = box.left + 1e-6 < x < box.right - 1e-6
                assert not (inside_x and box.top + 1e-6 < y < box.bottom - 1e-6)


@settings(deadline=None, max_examples=EXAMPLES)
@given(graphs())
def test_every_argument_and_every_result_has_its_line(graph: Dataflow) -> None:
    layout = lay_out(graph)
    found = sorted((line.value, line.call, line.is_result) for line in layout.lines)
    assert found == expected_lines(graph)

    value_at = {box.value: box.rectangle for box in layout.boxes}
    call_at = {label.calls[0]: label.rectangle for label in layout.labels}
    for line in layout.lines:
        ends = (value_at[line.value], call_at[line.call])
        source, target = reversed(ends) if line.is_result else ends
        (x1, y1), (x2, y2) = line.points[0], line.points[-1]
        assert (x1, y1) == pytest.approx((source.x, source.bottom))
        assert y2 == pytest.approx(target.top)
        assert target.left <= x2 <= target.right


@settings(deadline=None, max_examples=30)
@given(graphs(), st.booleans())
def test_the_same_graph_has_the_same_layout(graph: Dataflow, rotated: bool) -> None:
    again = Dataflow(*graph)
    assert lay_out(graph, rotated=rotated) == lay_out(again, rotated=rotated)


def test_a_skip_connection_bows_around_a_straight_chain() -> None:
    layout = lay_out(graph_of(1, (0,), (1,), (2,), (3, 0), (4,)))
    middle = {box.rectangle.x for box in layout.boxes}
    assert len(middle) == 1
    (skip,) = [line for line in layout.lines if line.call == 3 and line.value == 0]
    passed = [box.rectangle for box in layout.boxes if 1 <= box.value <= 3]
    furthest = max(x for x, _ in along(skip))
    assert furthest > max(box.right for box in passed)


def test_far_readers_of_one_value_share_a_trunk() -> None:
    graph = graph_of(1, (0,), (1, 0), (2, 0), (3, 0))
    layout = lay_out(graph)
    far = [line for line in layout.lines if line.value == 0 and line.call > 0]
    assert len({line.points[:4] for line in far}) == 1


@pytest.mark.parametrize("length", [LONGEST_CHAIN, LONGEST_CHAIN + 1, 250, 50_000])
def test_a_long_chain_is_folded_and_counted(length: int) -> None:
    layout = lay_out(chain(length))
    folded = [label for label in layout.labels if label.is_folded]
    drawn = sum(not label.is_folded for label in layout.labels)
    if length <= LONGEST_CHAIN:
        assert folded == []
        assert drawn == length
        return
    (fold,) = folded
    hidden = length - 2 * KEPT_AT_ENDS
    assert drawn == 2 * KEPT_AT_ENDS
    assert fold.calls == tuple(range(KEPT_AT_ENDS, length - KEPT_AT_ENDS))
    first, last = KEPT_AT_ENDS, length - KEPT_AT_ENDS - 1
    assert fold.text == f"⋯ {hidden:,} layers ⋯\nLayer_{first} … Layer_{last}"
    assert len(layout.boxes) == 2 * KEPT_AT_ENDS + 2


def test_an_output_inside_a_chain_is_not_folded_away() -> None:
    graph = chain(40)._replace(outputs=(20, 40))
    layout = lay_out(graph)
    assert 20 in {box.value for box in layout.boxes}
    assert [len(label.calls) for label in layout.labels if label.is_folded] == [10, 10]


def test_a_rotated_graph_runs_to_the_right() -> None:
    layout = lay_out(chain(3), rotated=True)
    lefts = [box.rectangle.left for box in layout.boxes]
    assert lefts == sorted(lefts)
    assert len({box.rectangle.y for box in layout.boxes}) == 1
    assert layout.width > layout.height


def test_too_many_boxes_are_refused_with_advice() -> None:
    assert len(lay_out(graph_of(1, *[(0,)] * 149)).boxes) == 150
    received = ("150 layers", "151 boxes")
    with raises(DrawingError, object="a picture of a graph", expected="150", received=received):
        lay_out(graph_of(1, *[(0,)] * 150))


@pytest.mark.parametrize(
    ("parents", "received"), [({"y": ["x"], "x": []}, "after"), ({"y": ["x"]}, "no such node")]
)
def test_a_node_before_its_parent_is_refused(parents: dict[str, list[str]], received: str) -> None:
    with raises(DrawingError, object="'y'", expected="'x'", received=received):
        dataflow(parents)


# --- the steps ------------------------------------------------------------------------------------


def crossings(given: Rows) -> int:
    below = [[lower for upper, lower in given.lines if upper == thing] for thing in range(9)]
    return count_crossings(given.rows, below)


def test_ordering_removes_needless_crossings() -> None:
    reversed_ladder = Rows(
        ((0, 1, 2), (3, 4, 5), (6, 7, 8)),
        ((0, 5), (1, 4), (2, 3), (3, 8), (4, 7), (5, 6)),
        (True,) * 9,
    )
    assert crossings(reversed_ladder) == 6
    assert crossings(order_rows(reversed_ladder)) == 0
