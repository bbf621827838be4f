from __future__ import annotations

import nbformat
from torch import nn

from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.model_graphs import parents_of
from hpml.symbolic import Input, SymbolicModel
from hpml.symbolic.graph_algorithms import draw_graph
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import EXPLAINED, NONE, Change, Followed, Seen, seen

DEPTH_FIRST = """\
def deep_first(edges):
    waits = {}
    for name, after in edges.items():
        for each in after:
            waits[each] = waits.get(each, 0) + 1
    order, ready = [], [name for name in edges if name not in waits]
    while ready:
        order.append(ready.pop())
        for each in reversed(edges.get(order[-1], [])):
            waits[each] -= 1
            if not waits[each]:
                ready.append(each)
    return order


order = deep_first(sixteen)"""


def the_nodes_are_named_by_the_layers_on_the_lines() -> None:
    """The names in the table of edges are the labels of the drawing; its boxes have the shapes."""
    cells = {cell.id: cell for cell in nbformat.read(find_lab("05"), as_version=4).cells}
    scope = {"Input": Input, "nn": nn, "SymbolicModel": SymbolicModel, "draw_graph": lambda **_: 0}
    exec(cells["05-21"].source.replace("predict(", "dict(q="), scope)
    drawn = draw_graph(model=scope["branches"], rotate_graph=True)
    texts = [each.get_text() for each in drawn.findobj(lambda part: hasattr(part, "get_text"))]
    names = set(parents_of(scope["branches"]))
    assert len(names) == 8
    assert names <= {*texts}
    assert texts.count("(None, 32)") == 5


FOLLOWED: Followed = {
    "Compare what PyTorch does in the three rows.": seen(
        "05-07", r"declare\(\) +0 operations", r"lecture\(two, three\) +2 op", r"plainly\(\) +2 op"
    ),
    "- **6**: choose two positions out of four for the left branch; the right one gets the "
    "rest.": NONE,
    "In the first half of the block each position (a word, say) reads from itself and those before "
    "it.": NONE,
    "Below the result you can look up which node needs which: click on a node; then the arrow keys "
    "go to its neighbours.": (
        seen("05-36", "The block, run in your order, gives the model's result", "used by Linear_"),
        OwnedBy(
            "tests/browser/test_instructions.py",
            "test_after_a_click_on_a_node_the_arrow_keys_lead_to_its_neighbours",
        ),
    ),
    "Change your function, or write another, so that at most **a quarter** as many are alive.": (
        Change(
            "05-36b",
            "order = topological_order(sixteen) or layer_by_layer  # your lines here",
            DEPTH_FIRST,
            r"alive at once: 0\.(?:[01]\d|2[0-5])",
        )
    ),
    "Compare the messages too: `mat1 and mat2` come from the operator, which knows nothing about "
    "your layers.": seen("05-70", "declared .*Linear", "with data .*mat1 and mat2"),
    "Below is a small network with a residual connection, declared and then run once.": NONE,
    "Choose before you go on: write the number of an experiment into the cell and run it.": (
        EXPLAINED
    ),
}
ALSO: Followed = {
    "The nodes are the eight boxes; below they are named by the layers that make them.": (
        the_nodes_are_named_by_the_layers_on_the_lines,
        Seen("05-26", ("Linear_1", "ReLU_1", "Sigmoid_1", "AddOpLayer_1", "Flatten_1", "input")),
    ),
}
