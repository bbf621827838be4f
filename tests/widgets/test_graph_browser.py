from __future__ import annotations

import re

from torch import nn

from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import WidgetError, graph_browser
from hpml.widgets.graph_browser.browser import nodes
from tests.parts import raises
from tests.widgets.test_animation import Outline


def residual() -> SymbolicModel:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    return SymbolicModel(x, nn.ReLU()(h) + h)


def test_every_node_knows_its_parents_children_shape_and_parameters() -> None:
    found = {node.name: node for node in nodes(residual())}
    assert list(found) == ["input", "Linear_1", "ReLU_1", "AddOpLayer_1"]
    linear, add = found["Linear_1"], found["AddOpLayer_1"]
    assert linear.parents == (0,)
    assert linear.children == [2, 3]
    assert linear.parameter_count == 20
    assert (add.parents, add.children) == ((2, 1), [])
    lines = [keyframe.line for keyframe in graph_browser(residual()).keyframes]
    assert lines[1] == (
        "Linear_1: Linear, shape (None, 4), from input, used by ReLU_1 and AddOpLayer_1, "
        "20 parameters"
    )
    assert lines[3] == "AddOpLayer_1: AddOpLayer, shape (None, 4), from ReLU_1 and Linear_1, output"


def test_several_inputs_results_and_repeated_layers() -> None:
    a, b = Input(shape=(4,)), Input(shape=(4,))
    layer = nn.Linear(4, 4)
    first, second = layer(layer(a) + b).chunk(2, -1)
    found = nodes(SymbolicModel((a, b), (first, second)))
    assert [node.name for node in found[:2]] == ["input 1", "input 2"]
    assert len(found[-1].values) == 2
    assert [node.layer_type for node in found].count("Linear") == 2


def test_choosing_a_node_lights_it_its_parents_and_its_children() -> None:
    animation = graph_browser(residual())
    marks = animation.keyframes[1].marks

    def parts(state: str) -> set[str]:
        return {name for name, words in marks.items() if state in words.split()}

    assert parts("chosen") == {"v1", "c0"}
    assert parts("parent") == {"v0"}
    assert parts("child") == {"v2", "c1", "v3", "c2"}
    about = Outline(animation.keyframes[1].pieces["about"])
    assert [button["data-go"] for button in about.named("button")] == ["0", "2", "3"]
    assert "20 in total" in about.text


def test_a_long_chain_is_one_box_and_all_its_layers_can_be_chosen() -> None:
    x = y = Input(shape=(4,))
    for _ in range(100):
        y = nn.ReLU()(y)
    animation = graph_browser(SymbolicModel(x, y))
    assert len(animation.keyframes) == 101
    assert len(animation.html.encode()) < 300_000
    assert all(
        any("chosen" in words for words in keyframe.marks.values())
        for keyframe in animation.keyframes
    )


def test_what_is_no_symbolic_model_is_refused() -> None:
    with raises(WidgetError, object="model of graph_browser", received="ReLU"):
        graph_browser(nn.ReLU())  # type: ignore[arg-type]


def test_a_high_graph_is_drawn_to_the_right_or_downwards_as_asked() -> None:
    x = value = Input(shape=(4,))
    for _ in range(12):
        value = nn.ReLU()(value)
    model = SymbolicModel(x, value)
    shapes = []
    for page in (graph_browser(model), graph_browser(model, max_height=20)):
        view = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', page.html)
        assert view
        shapes.append(float(view[1]) > float(view[2]))
    assert shapes == [True, False]
