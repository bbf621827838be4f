from __future__ import annotations

import itertools
from typing import Literal

import pytest

from hpml.base import charts, style
from hpml.base.charts import (
    Bar,
    Chart,
    Dot,
    Line,
    bars,
    dots,
    label_ends,
    lines,
    mark_sizes,
    show,
    timeline,
)
from tests.drawn import drawn, extent, overlap


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


def test_a_bar_has_its_parts_end_to_end() -> None:
    first = Bar("a", [(2.0, "red"), (3.0, "blue")], "5", (4.0, 7.0), start=1.0)
    ax = drawn(bars([first, Bar("b", 2.0)], title="t"))
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [
        (1.0, 2.0), (3.0, 3.0), (0.0, 2.0),
    ]  # fmt: skip
    (interval,) = ax.get_lines()
    assert list(interval.get_xdata()) == [4, 7]
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 7


LONG = "a text of some forty letters to be read, and of some thirty-five more"


@pytest.mark.parametrize(
    "chart",
    [
        bars([Bar("a", 3.0, LONG, (1.0, 4.0)), Bar("b", 1.0, "1"), Bar("c", 2.0)], title="t"),
        dots([Dot("a", 3.0, LONG), Dot("b", 1.0, "1"), Dot("c", 2.0)], title="t"),
        dots([Dot("a", 3.0, LONG), Dot("b", 1.0, "1"), Dot("c", 2.0)], title="t", log="x"),
        timeline(
            {"a": [(0.0, 2.0)], "b": [(0.0, 3.0)], "c": [(1.0, 2.0)]}, {"a": LONG, "b": "1"},
            title="t",
        ),
    ],
)  # fmt: skip
def test_the_text_of_a_row_is_beside_it_in_the_margin(chart: Chart) -> None:
    ax = drawn(chart)
    first, second, third = ax.texts
    assert (second.get_text(), third.get_text()) == ("1", "")
    assert first.get_text().replace("\n", " ") == LONG
    assert first.get_text().count("\n") == 1
    assert not overlap(ax.texts)
    for row, text in enumerate((first, second)):
        box = extent(text)
        assert ax.bbox.x1 < box.x0 < box.x1 <= ax.figure.bbox.x1
        middle = ax.transData.transform((1, row))[1]
        assert (box.y0 + box.y1) / 2 == pytest.approx(middle, abs=3)
    assert ax.bbox.width > ax.figure.bbox.width / 3  # enough for the marks


def test_a_page_tells_every_chart_and_the_caption() -> None:
    page = show(
        bars([Bar("a", 1.0, "one")], title="Bars", x="s"),
        dots([Dot("b", [1.0, 2.0])], title="Dots"),
        timeline({"c": [(0.0, 2.0)]}, {"c": "2 s"}, title="Time"),
        caption="The caption.",
    )
    assert page.plain == "Bars. a: one.\nDots. b: 1, 2.\nTime. c: 2 s.\nThe caption."
    assert page.png is not None


def test_notes_are_folded_below_the_picture_and_are_in_its_text() -> None:
    chart = bars([Bar("a", 1.0, "one")], title="Bars")
    page = show(
        chart, caption="The caption.", notes=("Notes", "Unsteady: a."), after="<p>after</p>"
    )
    assert page.plain == "Bars. a: one.\nThe caption.\nUnsteady: a."
    assert page.html.endswith(
        "<details><summary><small>Notes</small></summary>"
        "<p><small>Unsteady: a.</small></p></details><p>after</p>"
    )
    assert "Unsteady" not in page.html.partition("<details>")[0]
    assert "<details>" not in show(chart).html


def test_a_line_takes_the_colour_of_its_name_where_it_is_given_none() -> None:
    own = Line("b", [1, 2], [2, 1], colour=style.FAIL, band=([1, 0.5], [3, 1.5]))
    ax = drawn(lines([Line("a", [1, 2], [1, 2]), own], title="t"))
    shades = [line.get_color() for line in ax.get_lines()]
    assert shades == [style.series(["a"])["a"], style.FAIL]
    (band,) = ax.collections
    assert band.get_datalim(ax.transData).get_points().tolist() == [[1, 0.5], [2, 3]]
    (bar,) = drawn(lines([Line("a", [1], [2], band=([1], [3]))], title="t")).collections
    assert [part.tolist() for part in bar.get_segments()] == [[[1, 1], [1, 3]]]


@pytest.mark.parametrize("log", ["", "xy"])
def test_a_point_has_its_name_at_its_height_without_given_limits(log: str) -> None:
    points = [Line(f"{n}", [n], [n**3], form="") for n in (10, 20, 1000)]
    ax = drawn(lines([Line("all", [1, 2000], [5, 5]), *points], title="t", log=log,
                     at_ends=["10", "20", "1000"]))  # fmt: skip
    highest = max(ax.texts, key=lambda text: extent(text).y0)
    assert highest.get_text() == "1000"
    middle = (extent(highest).y0 + extent(highest).y1) / 2
    assert middle == pytest.approx(ax.transData.transform((1, 1000**3))[1], abs=12)
    assert not overlap(ax.texts)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["all"]


def test_a_line_may_have_its_name_beside_its_end() -> None:
    up = Line("up", [1, 2], [1, 9], colour=style.PASS, text="ninefold")
    down = Line("down", [1, 2], [9, 1])
    chart = lines([up, down], title="t", ylim=(0, 10), at_ends=["up", "down"])
    ax = drawn(chart)
    assert ax.get_legend() is None
    lower, upper = ax.texts
    assert (lower.get_text(), lower.xy) == ("down", (2, 1))
    assert (upper.get_text(), upper.xy) == ("up: ninefold", (2, 9))
    middle = (extent(upper).y0 + extent(upper).y1) / 2
    assert middle == pytest.approx(ax.transData.transform((2, 9))[1], abs=4)
    assert chart.text == "up: ninefold; down: first 9, last 1."


@pytest.mark.parametrize("along", ["x", "y"])
def test_a_histogram_runs_along_the_axis_that_was_asked_for(along: Literal["x", "y"]) -> None:
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    charts.histogram([1.0, 1.5, 9.0], [0.0, 2.0, 10.0], along=along, title="Times").on(ax)
    counted = ax.yaxis if along == "x" else ax.xaxis
    assert counted.get_major_formatter()(20_000, 0) == "20,000"
    (bars,) = ax.containers
    lengths = [bar.get_height() if along == "x" else bar.get_width() for bar in bars]
    assert lengths == [2, 1]


def test_a_histogram_colours_each_value_by_the_side_of_the_edge_that_it_is_on() -> None:
    from matplotlib.colors import to_hex
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    charts.histogram([0.5, 1.5, 2.5, 2.6], [0, 1, 2, 3], "x", 2, title="Times").on(ax)
    counted: dict[str, float] = {}
    for bar in ax.patches:
        shade = to_hex(bar.get_facecolor())
        counted[shade] = counted.get(shade, 0) + bar.get_height()
    assert counted == {style.DATA.lower(): 2, style.ACCENT.lower(): 2}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.1, 1000.0, ["0.1", "1", "10", "100", "1,000"]),
        (0.1, 100.0, ["0.1", "1", "10", "100"]),
        (1.0, 100.0, ["1", "2", "5", "10", "20", "50", "100"]),
        (2.0, 7.0, ["2", "3", "4", "5", "6"]),
    ],
)
def test_a_logarithmic_axis_has_at_least_four_plain_labels(
    low: float, high: float, expected: list[str]
) -> None:
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    ax.set(xscale="log", xlim=(low, high))
    charts.name_decades(ax.xaxis)
    assert [label.get_text() for label in ax.get_xticklabels()] == expected


@pytest.mark.parametrize("ylim", [(0, 10), (10, 0)])
@pytest.mark.parametrize("heights", [[1.0] * 5, [0.0, 0.01, 5.0, 9.99, 10.0], [3.0], []])
def test_labels_of_ends_are_in_the_margin_in_order_and_apart(
    heights: list[float], ylim: tuple[float, float]
) -> None:
    figure, ax = style.figure(height=2.6)
    ax.set(xlim=(0, 1), ylim=ylim)
    label_ends(ax, [(0.9, y, f"line {place}", style.DATA) for place, y in enumerate(heights)])
    figure.canvas.draw()
    own = ax.get_window_extent()
    texts = sorted(ax.texts, key=lambda text: float(ax.transData.transform(text.xy)[1]))
    boxes = [extent(text) for text in texts]
    assert len(boxes) == len(heights)
    assert all(box.x0 > own.x1 for box in boxes)
    assert all(a.y1 <= b.y0 + 1 for a, b in itertools.pairwise(boxes))
    assert all(own.y0 - 12 < box.y0 and box.y1 < own.y1 + 12 for box in boxes)
