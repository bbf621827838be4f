from __future__ import annotations

import itertools
import math

import pytest

from hpml.base import style
from hpml.course import calibration, lab_head, predict
from hpml.course.lesson.predictions.calibration import _draw_bands, apart
from hpml.course.lesson.predictions.prediction import Lab


def answered(key: str, said: object, measured: object, unit: str = "µs") -> None:
    predict(f"How long does {key} take?", unit=unit, key=key, answer=said).reveal(measured)


def test_with_no_answer_it_shows_what_was_measured_and_how_to_answer(lab: Lab) -> None:
    predict("How long?", unit="µs", key="a").reveal(0.9)
    found = calibration()
    assert found.summary.startswith("None of the questions was answered before")
    assert "press Enter" in found.summary
    assert found.table.rows == ((1, "How long?", "–", "0.9 µs", "not predicted"),)


def test_it_counts_how_many_came_near(lab: Lab) -> None:
    answered("a", 3, 2)
    answered("b", 3, 12)
    answered("c", 1, 50)
    assert calibration().summary.startswith(
        "Of 3 numbers predicted, 1 within a factor of 2 and 2 within a factor of 10; "
        "the median factor was 4."
    )


def test_late_answers_are_shown_and_not_counted(lab: Lab) -> None:
    late = predict("How long?", unit="µs", key="late")
    late.reveal(2)
    late.lock(2)
    answered("a", 3, 2)
    found = calibration()
    assert found.summary.startswith("The one number predicted was off by a factor of 1.5.")
    assert "1 answer locked after the result had been shown" in found.summary
    assert found.table.column("your guess") == ("exactly right (late)", "1.5 times too high")


def test_an_exact_number_is_right_or_not_and_never_within_a_factor(lab: Lab) -> None:
    predict("How many blocks?", unit="blocks", key="b", answer=3, exact=True).reveal(4)
    found = calibration()
    assert found.summary.startswith("Of 1 question with one right answer, 0 right.")
    assert found.table.column("your guess") == ("not this time",)
    lab_head(42, "The same lab in a new kernel")
    assert calibration().table.column("your guess") == ("not this time",)


def test_what_was_not_measured_cleanly_is_listed_and_not_scored(lab: Lab) -> None:
    guess = predict("How long?", unit="µs", key="a", answer=3)
    guess.reveal(2, unsure="The cores were busy.")
    found = calibration()
    assert guess.verdict == "You said 3 µs, the result is 2 µs. Not scored: The cores were busy."
    assert found.table.column("your guess") == ("not scored",)
    assert "Not scored, because the measurement was too uncertain: 1." in found.summary
    assert "<img" not in found._repr_mimebundle_()["text/html"]  # nothing to draw
    lab_head(42, "The same lab in a new kernel")
    assert calibration().table.column("your guess") == ("not scored",)


@pytest.mark.parametrize(
    "points", [[(0.5, 0.5)] * 5, [(0.1, 0.1), (0.11, 0.1), (0.9, 0.2)], [(0.3, 0.3)]]
)
def test_no_mark_hides_another(points: list[tuple[float, float]]) -> None:
    places = apart(points)
    near = [math.dist(a, b) for a, b in itertools.combinations(places, 2)]
    assert all(distance > 0.058 for distance in near)
    assert max(map(math.dist, points, places)) < 0.2


def test_the_picture_holds_every_point_the_diagonal_and_both_bands(lab: Lab) -> None:
    answered("a", 3, 1e-3)
    answered("b", 1e6, 2e6, unit="B")
    axes = calibration().figure().axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["within a factor of 10", "within a factor of 2", "prediction = result"]
    assert [text.get_text() for text in axes.texts] == ["1", "2"]
    low, high = axes.get_xlim()
    assert low < 1e-3 < 2e6 < high
    assert axes.get_xlim() == axes.get_ylim()


@pytest.mark.parametrize(("low", "high"), [(0.24, 6.5), (2, 50), (0.3, 250), (24e3, 650e3)])
def test_no_number_of_an_axis_is_written_over_another(low: float, high: float) -> None:
    fig, ax = style.figure(width=6.2, height=4.8)
    _draw_bands(ax, low, high)
    fig.draw_without_rendering()
    labels = [*ax.get_xticklabels(), *ax.get_xticklabels(minor=True)]
    boxes = sorted(
        (box.x0, box.x1)
        for label in labels
        if label.get_text() and low <= label.get_position()[0] <= high
        for box in [label.get_window_extent()]
    )
    assert len(boxes) >= 3
    assert all(right < left for (_, right), (left, _) in itertools.pairwise(boxes))


def test_the_number_of_a_late_answer_is_drawn_as_a_ring(lab: Lab) -> None:
    late = predict("How long?", unit="µs", key="late")
    late.reveal(20)
    late.lock(20)
    answered("a", 3, 2)
    accent = style.PALETTE["accent"]
    ax = calibration().figure().axes[0]
    rings = [line.get_markerfacecolor() for line in ax.lines if line.get_markersize() == 13]
    assert rings == ["white", accent]
    assert [text.get_color() for text in ax.texts[:2]] == [accent, "white"]
