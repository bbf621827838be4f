from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from torch import nn

from hpml.base import style
from hpml.symbolic import CustomInput, Input, SymbolicModel
from hpml.symbolic.errors import GraphError
from hpml.symbolic.graph_algorithms import draw_graph
from tests.parts import raises


def classifier() -> SymbolicModel:
    inputs = Input(shape=(1, 28, 28))
    x = nn.Flatten()(inputs)
    x = nn.Linear(x.features, 10)(x)(nn.Softmax(1))
    return SymbolicModel(inputs, x)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_boxes_show_shapes_and_lines_show_the_names_of_layers() -> None:
    assert texts(draw_graph(model=classifier())) == [
        *("Flatten_1", "Linear_1", "Softmax_1"),
        *("(None, 1, 28, 28)", "(None, 784)", "(None, 10)", "(None, 10)"),
    ]


def test_a_layer_used_again_names_its_first_use() -> None:
    x = Input(shape=(4,))
    layer = nn.Linear(4, 4)
    model = SymbolicModel(x, layer(layer(x)))
    assert texts(draw_graph(model=model))[:2] == ["Linear_1", "Linear_2 (= Linear_1)"]


def test_values_that_are_no_tensors_show_their_type() -> None:
    data = CustomInput([1, 2, 3])
    first = data[0]
    assert texts(draw_graph(inputs=data, outputs=first))[1:] == ["list", "int"]


def test_functions_choose_the_texts() -> None:
    x = Input(shape=(4,))
    y = nn.Linear(4, 2)(x)
    figure = draw_graph(
        inputs=x,
        outputs=y,
        node_text_func=lambda value: f"depth {value.depth}",
        edge_text_func=lambda layer: f"to {layer.out_features}",  # type: ignore[union-attr,str-bytes-safe]
    )
    assert texts(figure) == ["to 2", "depth 0", "depth 1"]


def test_a_namespace_names_the_values() -> None:
    images = Input(shape=(4,))
    hidden = nn.ReLU()(images)
    scores = nn.Tanh()(hidden)
    figure = draw_graph(
        model=SymbolicModel(images, scores),
        node_text_namespace={"_": scores, "_12": scores, "images": images, "scores": scores},
    )
    boxes_only = texts(figure)[2:]
    assert boxes_only == ["images\n(None, 4)", "(None, 4)", "scores\n(None, 4)"]


def test_inputs_alone_draw_everything_below_that_is_alive() -> None:
    x = Input(shape=(4,))
    kept = nn.Linear(4, 5)(x)
    other = nn.Linear(4, 6)(x)
    nn.Linear(4, 7)(x)  # nobody holds this one
    assert texts(draw_graph(inputs=x))[2:] == ["(None, 4)", "(None, 5)", "(None, 6)"]
    del kept, other


def test_what_comes_from_elsewhere_is_marked() -> None:
    x, y = Input(shape=(4,)), Input(shape=(1,))
    total = x + y
    figure = draw_graph(inputs=x)
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["input", "output", "from elsewhere"]
    assert texts(figure)[1:] == ["(None, 4)", "(None, 1)", "(None, 4)"]
    del total


def test_outputs_alone_draw_everything_above() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    total = x + y
    below = nn.Linear(4, 9)(total)
    assert texts(draw_graph(outputs=total)) == ["AddOpLayer", *["(None, 4)"] * 3]
    del below


def test_too_large_a_graph_is_an_error_that_says_what_to_do() -> None:
    x = Input(shape=(4,))
    y = x
    for _ in range(100):
        y = nn.ReLU()(y) + x
    with raises(GraphError, object="a picture of a graph", remedy="model.summary()"):
        draw_graph(inputs=x, outputs=y)


def test_highlighted_values_stand_out() -> None:
    model = classifier()
    plain, lit = (
        [box.get_facecolor() for box in figure.axes[0].patches if isinstance(box, FancyBboxPatch)]
        for figure in (draw_graph(model=model), draw_graph(model=model, highlight=[1]))
    )
    assert [one != other for one, other in zip(plain, lit, strict=True)].count(True) == 1


def test_no_figure_stays_open_and_no_setting_changes() -> None:
    settings = dict(mpl.rcParams)
    figure = draw_graph(model=classifier())
    assert isinstance(figure, Figure)
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == settings


def test_it_draws_on_given_axes_and_leaves_their_figure_open() -> None:
    figure, (left, right) = style.figure(1, 2)
    assert draw_graph(model=classifier(), ax=left) is figure
    assert len(left.texts) == 3 + 4
    assert len(right.texts) == 0
    assert plt.get_fignums() == [figure.number]
