"""How pictures of graphs look: nothing overlaps, kinds differ, and the figure is left as asked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from matplotlib.transforms import Bbox
from torch import nn

from hpml.base import style
from hpml.symbolic import Input, SymbolicModel, optimize_module_calls
from hpml.symbolic.building.interception import is_active
from hpml.symbolic.graph_algorithms import draw_graph


def three_layers() -> SymbolicModel:
    x = inputs = Input(shape=(4,))
    for _ in range(3):
        x = nn.Linear(4, 4)(x)
    return SymbolicModel(inputs, x)


def classifier() -> SymbolicModel:
    inputs = Input(shape=(1, 28, 28))
    x = nn.Flatten()(inputs)
    x = nn.Linear(x.features, 10)(x)(nn.Softmax(1))
    return SymbolicModel(inputs, x)


def _block(x: Any, channels: int, stride: int) -> Any:
    y = nn.Conv2d(x.C, channels, 3, stride, 1)(x)
    y = nn.ReLU()(nn.BatchNorm2d(channels)(y))
    y = nn.BatchNorm2d(channels)(nn.Conv2d(channels, channels, 3, 1, 1)(y))
    skip = x if channels == x.C else nn.Conv2d(x.C, channels, 1, stride)(x)
    return nn.ReLU()(y + skip)


def toy_resnet() -> SymbolicModel:
    inputs = Input(shape=(3, 32, 32))
    x = nn.ReLU()(nn.BatchNorm2d(16)(nn.Conv2d(3, 16, 3, 1, 1)(inputs)))
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        x = _block(x, channels, stride)
    x = nn.Flatten()(nn.AdaptiveAvgPool2d(1)(x))
    return SymbolicModel(inputs, nn.Linear(64, 10)(x))


def shared() -> SymbolicModel:
    a, b = Input(shape=(8,)), Input(shape=(8,))
    layer = nn.Linear(8, 8)
    u, v = nn.ReLU()(layer(a)), nn.ReLU()(layer(b))
    return SymbolicModel((a, b), (nn.Linear(16, 3)(torch.cat([u, v], dim=1)), u * v))


def unpacking() -> SymbolicModel:
    inputs = Input(batch_shape=(3, 8))
    a, b, c = inputs
    return SymbolicModel(inputs, ((a + b) @ c, nn.Tanh()(a)))


def deep() -> SymbolicModel:
    x = inputs = Input(shape=(4,))
    for _ in range(250):
        x = nn.Linear(4, 4)(x)
    return SymbolicModel(inputs, x)


MODELS = [toy_resnet, shared, unpacking, deep]


def boxes(figure: Figure) -> list[FancyBboxPatch]:
    return [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]


def fills(figure: Figure) -> dict[str, str]:
    """Return the fill of each box by the text in it."""
    axes = figure.axes[0]
    filled = {}
    for patch in boxes(figure):
        middle = patch.get_x() + patch.get_width() / 2, patch.get_y() + patch.get_height() / 2
        (text,) = [t for t in axes.texts if t.get_position() == pytest.approx(middle)]
        filled[text.get_text()] = to_hex(patch.get_facecolor())
    return filled


# --- it can be read -------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"rotate_graph": True}, {"rotate_labels": True}], ids=str)
@pytest.mark.parametrize("build", MODELS)
def test_no_text_overlaps_another_or_leaves_its_box(
    build: Callable[[], SymbolicModel], options: dict[str, bool]
) -> None:
    figure = draw_graph(model=build(), **options)
    figure.canvas.draw()
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    page = figure.bbox
    extents = [text.get_window_extent() for text in axes.texts]
    outlines = [patch.get_window_extent() for patch in boxes(figure)]
    seen = [*extents, legend.get_window_extent()]

    for one, other in itertools.combinations(seen, 2):
        assert not _overlap(one, other)
    for extent in [*seen, *outlines]:
        assert page.x0 <= extent.x0 < extent.x1 <= page.x1
        assert page.y0 <= extent.y0 < extent.y1 <= page.y1
    for outline in outlines:
        held = [extent for extent in seen if _overlap(extent, outline)]
        assert len(held) == 1
        assert outline.x0 < held[0].x0 < held[0].x1 < outline.x1
        assert outline.y0 < held[0].y0 < held[0].y1 < outline.y1


def _overlap(one: Bbox, other: Bbox) -> bool:
    return bool(
        min(one.x1, other.x1) > max(one.x0, other.x0)
        and min(one.y1, other.y1) > max(one.y0, other.y0)
    )


# --- highlights -----------------------------------------------------------------------------------


def test_highlighted_values_stand_out() -> None:
    model = classifier()
    plain = fills(draw_graph(model=model))
    lit = fills(draw_graph(model=model, highlight=[1]))
    assert [text for text in plain if plain[text] != lit[text]] == ["(None, 784)"]


# --- figures --------------------------------------------------------------------------------------


def test_no_figure_stays_open_and_no_setting_changes() -> None:
    settings = dict(mpl.rcParams)
    figure = draw_graph(model=three_layers())
    assert isinstance(figure, Figure)
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == settings


def test_it_draws_on_given_axes_and_leaves_their_figure_open() -> None:
    figure, (left, right) = style.figure(1, 2)
    assert draw_graph(model=shared(), ax=left) is figure
    assert len(left.texts) == 7 + 9
    assert len(right.texts) == 0
    assert plt.get_fignums() == [figure.number]


def test_what_is_switched_off_stays_off() -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU()(nn.ReLU()(x)))
    optimize_module_calls()
    draw_graph(model=model, node_text_func=lambda value: str(value.depth))
    assert not is_active()
