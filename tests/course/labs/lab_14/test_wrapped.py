from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch
from matplotlib.text import Annotation

from hpml.course.labs.lab_14_runtimes.wrapped import WIDEST, draw_wrapped, linear_layers, wrapped
from tests.drawn import drawn, extent

BLOCK = {
    "x": [], "Conv_1": ["x"], "Transpose_1": ["Conv_1"], "LayerNormalization_1": ["Transpose_1"],
    "MatMul_1": ["LayerNormalization_1"], "Add_1": ["MatMul_1"], "Gelu_1": ["Add_1"],
    "MatMul_2": ["Gelu_1"], "Add_2": ["MatMul_2"], "Transpose_2": ["Add_2"],
    "Add_3": ["x", "Transpose_2"],
}  # fmt: skip
PAIRS = [("MatMul_1", "Add_1"), ("MatMul_2", "Add_2")]


def parts() -> tuple[dict[str, FancyBboxPatch], list[Line2D], list[Annotation]]:
    """Return the boxes by name, the lines, and the arrow heads."""
    ax = drawn(wrapped(BLOCK, PAIRS, title="t"), width=6.4)
    heads = [text for text in ax.texts if isinstance(text, Annotation)]
    names = [text.get_text() for text in ax.texts if not isinstance(text, Annotation)]
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    for name, box in zip(names, boxes, strict=True):
        (text,) = [text for text in ax.texts if text.get_text() == name]
        inside, around = extent(text), box.get_window_extent()
        assert around.x0 < inside.x0 < inside.x1 < around.x1
    return dict(zip(names, boxes, strict=True)), list(ax.get_lines()), heads


def test_operators_are_in_order_in_rows_that_are_not_too_wide() -> None:
    boxes, _, _ = parts()
    assert list(boxes) == list(BLOCK)
    places = [(box.get_y(), box.get_x()) for box in boxes.values()]
    assert places == sorted(places)
    assert len({y for y, _ in places}) == 3
    assert all(box.get_x() + box.get_width() <= WIDEST for box in boxes.values())
    for (before, left), (after, right) in itertools.pairwise(boxes.items()):
        if left.get_y() == right.get_y():
            assert left.get_x() + left.get_width() < right.get_x(), (before, after)


def test_what_fuses_is_in_one_row_and_alone_in_colour() -> None:
    boxes, _, _ = parts()
    for first, second in PAIRS:
        assert boxes[first].get_y() == boxes[second].get_y()
    fused = {name for pair in PAIRS for name in pair}
    assert len({boxes[name].get_facecolor() for name in fused}) == 1
    assert {n for n, b in boxes.items() if b.get_facecolor() != to_rgba("white")} == fused


def test_each_line_ends_at_the_boxes_of_its_edge_and_passes_through_no_other() -> None:
    boxes, lines, heads = parts()
    edges = [(above, name) for name, each in BLOCK.items() for above in each]
    assert len(lines) == len(heads) == len(edges)

    def inside(name: str, x: float, y: float, room: float) -> bool:
        box = boxes[name]
        across = box.get_x() - room < x < box.get_x() + box.get_width() + room
        return across and box.get_y() - room < y < box.get_y() + box.get_height() + room

    for (start, end), line, head in zip(edges, lines, heads, strict=True):
        corners = [*zip(*line.get_data(), strict=True), head.xy]
        assert inside(start, *corners[0], 0.01)
        assert inside(end, *corners[-1], 0.01)
        for a, b in itertools.pairwise(corners):
            for share in np.linspace(0, 1, 50):
                x, y = (p + share * (q - p) for p, q in zip(a, b, strict=True))
                assert not any(inside(name, x, y, -0.01) for name in boxes)


@pytest.mark.parametrize("reader", ["Add_2", "Gelu_1"])
def test_a_product_that_another_operator_reads_too_does_not_fuse(reader: str) -> None:
    parents = {"x": [], "MatMul_1": ["x"], "Add_1": ["MatMul_1"], reader: ["MatMul_1"]}
    assert linear_layers(parents) == []


def test_the_text_has_the_edges_and_what_fuses() -> None:
    assert linear_layers(BLOCK) == PAIRS
    page = draw_wrapped(BLOCK, title="One block")
    assert page.plain.startswith("One block. Conv_1 from x; Transpose_1 from Conv_1; ")
    assert (
        "Add_3 from x, Transpose_2. In one colour: MatMul_1 and Add_1; MatMul_2 and Add_2.\n"
        in page.plain
    )
