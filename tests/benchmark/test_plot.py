from __future__ import annotations

from pathlib import Path

import pytest

from hpml.benchmark import BenchmarkError, Case, Comparison, Measurement
from hpml.benchmark.plots import sweeps
from tests.parts import raises


def case(layers: int, rounds: int = 7) -> Case:
    base = tuple(layers * 1e-6 * (1 + 0.01 * i) for i in range(rounds))
    old = Measurement("handwritten", base, 10)
    new = Measurement("codegen", tuple(0.5 * t for t in base), 10)
    return Case("deep-linear", {"layers": layers}, Comparison((old, new), "handwritten", rounds))


@pytest.mark.parametrize(
    ("per_item", "expected"),
    [(False, (250 * 1.015, 250 * 1.03, 250 * 1.045)), (True, (1.015, 1.03, 1.045))],
)
def test_a_sweep_has_the_times_and_their_band(per_item: bool, expected: tuple[float, ...]) -> None:
    first, second = sweeps([case(500), case(250)], "layers", per_item=per_item)
    assert (first.name, second.name) == ("handwritten", "codegen")
    assert first.x == [250.0, 500.0]
    assert first.band is not None
    low, high = first.band
    assert (low[0], first.y[0], high[0]) == pytest.approx(expected)


def test_the_later_of_two_cases_for_one_point_counts() -> None:
    (old, new) = sweeps([case(250, 9), case(250, 7)], "layers")
    assert (len(old.x), new.band) == (1, sweeps([case(250, 7)], "layers")[1].band)


@pytest.mark.parametrize("value", [None, "many", True])
def test_a_sweep_needs_a_number_in_each_case(value: object) -> None:
    wrong = Case("deep-linear", {"layers": value}, case(250).comparison)  # type: ignore[dict-item]
    with raises(BenchmarkError, object="parameter 'layers' of sweeps", received=repr(value)):
        sweeps([case(250), wrong], "layers")


def test_a_comparison_is_drawn_with_every_sample(tmp_path: Path) -> None:
    comparison = case(250).comparison
    ax = comparison.plot()
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [7, 7]  # type: ignore[arg-type]
    # Milliseconds and below: the axis names its unit.
    assert ax.get_xlabel() == "µs per call"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["handwritten", "codegen"]
    ax.figure.savefig(tmp_path / "comparison.png")
    assert (tmp_path / "comparison.png").read_bytes().startswith(b"\x89PNG")


def test_a_far_out_sample_is_counted_at_the_edge_and_not_drawn() -> None:
    times = (*(1e-3 + i * 1e-6 for i in range(24)), 1.0)
    ax = Comparison((Measurement("a", times, 1),), "a", 25).plot()
    assert ax.get_xlim()[1] < 2
    assert any("1 sample beyond the edge" in text.get_text() for text in ax.texts)


def test_a_prediction_is_a_mark_in_the_row_it_is_about() -> None:
    pair = case(250).comparison
    drawn = pair.plot(predicted={"codegen": 0.25}).lines
    (mark,) = (line.get_xydata() for line in drawn if line.get_marker() == "D")
    assert mark[0] == pytest.approx([0.25e6 * pair["handwritten"].median, 1])  # µs, second row
    unanswered = pair.plot(predicted={"codegen": None}).lines
    assert all(line.get_marker() != "D" for line in unanswered)
