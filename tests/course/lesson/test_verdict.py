from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from hpml.base import style
from hpml.base.charts import Chart
from hpml.benchmark.estimate import Estimate
from hpml.course.lesson.conclusions import verdict as conclusions
from hpml.course.lesson.conclusions.verdict import TIMES, Quantity, Verdict
from tests.drawn import drawn, extent

NAMES = "ABC"


def verdict(*pairs: tuple[tuple[float, float], dict[str, tuple[float, float]]]) -> Verdict:
    quantities = [Quantity(str(k), TIMES, ranges) for k, (_, ranges) in enumerate(pairs)]
    ends = {str(k): Estimate(sum(each) / 2, *each) for k, (each, _) in enumerate(pairs)}
    return Verdict(quantities, ends)


@pytest.mark.parametrize(
    ("measured", "fits"),
    [
        ((0.95, 1.05), "A"),
        ((1.05, 11.9), "A"),  # it overlaps the range of A only
        ((13, 15), "B"),
        ((1.0, 12.0), "cannot tell"),
        ((-math.inf, math.inf), "cannot tell"),
        ((1.9, 2.5), "none of them alone"),
        ((20.1, 30), "none of them alone"),
    ],
)
def test_a_hypothesis_stands_if_its_range_overlaps_the_interval(
    measured: tuple[float, float], fits: str
) -> None:
    found = verdict((measured, {"A": (0.9, 1.1), "B": (12, 20)}))
    assert found.fits == fits
    assert found.table.column("predicts") == ("A", "B", "measured")
    assert (f"**{fits}**" in found.conclusion) is True


def test_none_of_them_alone_has_the_measured_value() -> None:
    found = verdict(((1.9, 2.5), {"A": (0.9, 1.1), "B": (12, 20)}))
    assert "2.2 (1.9 to 2.5) times" in found.conclusion
    assert found.seen.endswith("fits **none of them alone**")


def test_a_hypothesis_falls_by_one_quantity_and_is_not_judged_by_what_it_does_not_predict() -> None:
    small, large = (0.9, 1.1), (9.0, 11.0)
    both = verdict((small, {"A": (0.8, 1.2), "B": (0.8, 1.2)}), (large, {"A": (0.8, 1.2)}))
    assert both.standing == ("B",)
    assert both.fits == "B"


def test_over_random_intervals_and_ranges_a_verdict_follows_from_overlaps_alone() -> None:
    rng = random.Random(56)

    def ends() -> tuple[float, float]:
        low, high = sorted(math.exp(rng.uniform(-3, 3)) for _ in range(2))
        return low, high

    counts = dict.fromkeys([*NAMES, "cannot tell", "none of them alone"], 0)
    for _ in range(3000):
        pairs = [
            (ends(), {name: ends() for name in NAMES if rng.random() < 0.8})
            for _ in range(rng.choice((1, 2)))
        ]
        if {name for _, ranges in pairs for name in ranges} != set(NAMES):
            continue
        found = verdict(*pairs)
        counts[found.fits] += 1
        fallen = {
            name
            for measured, ranges in pairs
            for name, (low, high) in ranges.items()
            if high < measured[0] or low > measured[1]
        }
        assert set(found.standing) == set(NAMES) - fallen
        assert found.fits not in fallen
        assert (found.fits in NAMES) is (len(fallen) == 2)
        assert (found.fits == "none of them alone") is (len(fallen) == 3)
    assert min(counts.values()) > 50


def test_the_picture_has_the_ranges_that_are_judged() -> None:
    found = verdict(((0.9, 1.2), {"A": (0.7, 1.4), "B": (12, 20)}))
    page = found.picture()
    assert page is not None
    assert page.png
    assert "A predicts 0.7 to 1.4; B predicts 12 to 20; measured: 1.1 (0.9 to 1.2) times" in (
        page.plain
    )
    seconds = Quantity("extra", "s", {"A": (0.0, math.inf)})
    assert Verdict((seconds,), {"extra": Estimate(1e-6, 1e-7, 2e-6)}).picture() is None


def test_the_picture_has_each_range_in_words_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdict(((0.9, 1.2), {"A": (0.7, 1.4), "B": (12, 20)}))
    charts: list[Chart] = []
    monkeypatch.setattr(conclusions, "show", lambda *each, caption: charts.extend(each))
    found.picture()
    ax = drawn(charts[0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A", "B", "measured"]
    words = ["0.7 to 1.4", "12 to 20", "1.1 (0.9 to 1.2) times"]
    assert [text.get_text() for text in ax.texts] == words
    assert all(extent(text).x0 > ax.bbox.x1 for text in ax.texts)
    shades = [patch.get_facecolor()[:3] for patch in ax.patches[:2]]
    assert shades == [to_rgb(style.DATA), to_rgb(style.MUTED)]  # A fits, B does not


def test_charts_that_share_an_axis_show_the_ranges_of_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = verdict(
        ((0.026, 0.028), {"A": (0.01, 0.15), "C": (0.7, 1.4)}),
        ((0.9, 1.0), {"A": (0.7, 1.4), "B": (0, 0.4)}),
    )
    shown: list[Chart] = []
    monkeypatch.setattr(conclusions, "show", lambda *charts, caption: shown.extend(charts))
    found.picture()
    for chart in shown:
        assert chart.xlim is not None
        assert chart.xlim[0] < 0.01
        assert chart.xlim[1] > 1.4


def test_the_picture_cuts_nothing_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Figure] = []
    real = style.figure

    def figure(*args: Any, **options: Any) -> tuple[Figure, Any]:
        made = real(*args, **options)
        figures.append(made[0])
        return made

    monkeypatch.setattr(style, "figure", figure)
    wide = ((25.0, 30.0), {"A": (4.0, 60.0), "B": (0.5, 2.0)})
    nothing = ((-0.1, 0.0), {"A": (0.5, 2.0), "B": (0.0, 0.2)})
    verdict(wide, nothing).picture()
    upper, lower = figures[0].axes
    left, right = upper.get_xlim()
    assert (left, right) == lower.get_xlim()
    assert left < 0.2
    assert right > 60
    marks = [
        [
            float(np.asarray(line.get_xdata())[0])
            for line in ax.lines
            if str(line.get_marker()) in "o<"
        ]
        for ax in (upper, lower)
    ]
    assert left < marks[0][0] < right
    assert marks[1] == [left]


def test_a_value_that_its_interval_does_not_support_is_not_printed() -> None:
    change = Quantity("change", TIMES, {})
    assert change.of(Estimate(20.0, 10.0, 100.0)) == "10 to 100 times"
    assert change.of(Estimate(20.0, -math.inf, math.inf)) == "unknown"
    assert change.of(Estimate(0.5, 0.5, 0.5)) == "0.5 times"


def test_a_mixture_alone_is_none_of_them_alone_and_beside_a_part_cannot_be_told() -> None:
    ranges = {"A": (0.7, 1.4), "B": (12.0, 20.0), "A and B": (1.4, 12.0)}
    assert verdict(((1.9, 2.5), ranges)).fits == "none of them alone"
    assert verdict(((1.0, 6.0), ranges)).fits == "cannot tell"
    assert verdict(((0.9, 1.2), ranges)).fits == "A"


def test_a_share_whose_ends_print_alike_is_printed_once_and_zero_has_no_sign() -> None:
    share = Quantity("of the extra time", "share", {})
    assert share.of(Estimate(0.68, 0.678, 0.684)) == "68%"
    assert share.of(Estimate(0.0, -0.003, 0.004)) == "0%"
    assert share.of(Estimate(0.16, 0.16, 0.17)) == "16% (16% to 17%)"
