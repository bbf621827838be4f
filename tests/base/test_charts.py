"""Charts that several pictures share: what is written is read, and stands where it belongs."""

from __future__ import annotations

import itertools

import pytest

from hpml.base import style
from hpml.base.charts import Bar, bars, mark_sizes, name_rows


@pytest.mark.parametrize(
    "sizes",
    [
        [2, 4, 8],
        [50, 100, 150, 200, 250, 300, 400, 500, 1000],
        [*range(900, 1000, 10), 100_000],
        [250],
    ],
    ids=str,
)
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_numbers_of_sizes_never_overprint_and_the_outermost_are_there(
    sizes: list[int], scale: str
) -> None:
    fig, axes = style.figure(1, 2, width=11.0)
    for ax in axes:
        ax.set(xscale=scale, xlim=(sizes[0] / 1.2, sizes[-1] * 1.2), xlabel="layers")
        mark_sizes(ax, sizes)
    fig.canvas.draw()
    for ax in axes:
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        assert [label.get_text() for label in labels][:: max(1, len(labels) - 1)] == [
            f"{size:,}" for size in dict.fromkeys([sizes[0], sizes[-1]])
        ]
        assert list(ax.get_xticks()) == sizes
        extents = sorted((e.x0, e.x1) for e in (label.get_window_extent() for label in labels))
        assert all(a[1] < b[0] for a, b in itertools.pairwise(extents))


def test_a_bar_has_its_parts_end_to_end_and_its_text_behind_the_interval() -> None:
    fig, ax = style.figure()
    bars(ax, [Bar("a", [(2.0, "red"), (3.0, "blue")], "5", (4.0, 7.0), start=1.0), Bar("b", [])])
    fig.canvas.draw()
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.0, 2.0), (3.0, 3.0)]
    edge = ax.transData.transform((7.0, 0))[0]
    assert ax.texts[0].get_window_extent().x0 > edge


def test_the_first_row_is_on_top() -> None:
    _, ax = style.figure()
    name_rows(ax, ["first", "second"])
    assert ax.transData.transform((0, 0))[1] > ax.transData.transform((0, 1))[1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
