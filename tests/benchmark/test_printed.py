from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest

from hpml.base.tables import readable
from hpml.benchmark import Comparison, Measurement, Ratio, printed
from hpml.benchmark.advice import Advice, begin_report, end_report, footnote
from hpml.benchmark.tables import comparison_table

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("number", "text"),
    [(568.3, "570"), (5.7e2, "570"), (1.1e2, "110"), (12345.0, "12,000"), (2.0, "2"),
     (0.0571, "0.057"), (1e-7, "0.0000001"), (-0.28, "-0.28"), (0.0, "0"), (math.inf, "inf")],
)  # fmt: skip
def test_a_number_is_written_as_a_person_writes_it(number: float, text: str) -> None:
    assert readable(number) == text


@pytest.mark.parametrize(
    ("value", "low", "high", "shown", "whole"),
    [
        (54.0, 30.0, 102.0, "30 to 100", "30 to 100"),  # "takes 54 times as long"
        (1.6, 0.9, 3.1, "0.90 to 3.1", "0.90 to 3.1"),  # "1.6 × without, cannot tell"
        (1.65, 1.56, 1.73, "1.65", "1.65 (1.56 to 1.73)"),
        (1.0, 0.0, math.inf, "unknown", "unknown"),
    ],
)
def test_a_ratio_passes_the_gate_in_texts_labels_and_tables(
    value: float, low: float, high: float, shown: str, whole: str
) -> None:
    ratio = Ratio(value, low, high, "cannot tell")
    assert ratio.shown == shown
    assert ratio.with_interval == whole
    if printed.too_wide(low, high):
        slower = Ratio(value, low, high, "slower")
        assert f"{value:g}" not in slower.in_words("a", "b")
        assert not str(slower).startswith(f"{value:g}")


def test_over_random_intervals_a_value_is_printed_only_if_the_interval_is_narrow() -> None:
    rng = random.Random(4)
    for _ in range(2000):
        value = math.exp(rng.uniform(-9, 9))
        reach = math.exp(rng.expovariate(1.5))
        low, high = value / reach, value * reach
        shown = Ratio(value, low, high, "slower" if low > 1 else "cannot tell").shown
        assert ("to" in shown) is (high > printed.WIDEST * low)
        assert "e+" not in shown
        assert "e-" not in shown


def compared(name: str, factor: float, spread: float) -> Comparison:
    rng = random.Random(1)
    base = [1e-3 * math.exp(rng.gauss(0, 0.01)) for _ in range(12)]
    other = [factor * x * math.exp(rng.gauss(0, spread)) for x in base]
    measured = (Measurement("without", tuple(base), 1), Measurement(name, tuple(other), 1))
    return Comparison(measured, "without", 12)


def test_a_table_and_a_picture_show_a_wide_ratio_as_its_interval_only() -> None:
    wide = compared("profiled", 1.5, 0.8)
    ratio = wide.ratio("profiled")
    assert printed.too_wide(ratio.low, ratio.high)
    table = comparison_table(wide)
    assert table.column("ratio") == ("1", None)
    assert table.column("95 % interval")[1] == ratio.interval
    notes = [text.get_text() for text in wide.plot().texts]
    assert f"{ratio.shown} × without\n{ratio.answer}" in {note.partition(" (")[0] for note in notes}


def test_a_ratio_of_medians_outside_the_interval_is_explained() -> None:
    # The baseline is slow in most rounds, the other one in the others: medians mislead.
    base = [1.0] * 11 + [3.0] * 14
    other = [2.0 * x for x in base[:-2]] + [2.0 * 1.0] * 2
    steady = (Measurement("a", tuple(base), 1), Measurement("b", tuple(other), 1))
    found = Comparison(steady, "a", 25)
    ratio, medians = found.ratio("b"), found["b"].median / found["a"].median
    explained = [advice for _, advice in found.advice if advice.problem == "medians"]
    assert bool(explained) is not (ratio.low <= medians <= ratio.high)
    skewed = Measurement("b", tuple([2.0] * 11 + [6.0] * 2 + [1.8] * 12), 1)
    found = Comparison((steady[0], skewed), "a", 25)
    ratio, medians = found.ratio("b"), skewed.median / found["a"].median
    explained = [advice for _, advice in found.advice if advice.problem == "medians"]
    assert bool(explained) is not (ratio.low <= medians <= ratio.high)


def test_the_inverse_of_a_ratio_says_how_many_times_as_fast() -> None:
    fast = Ratio(0.25, 0.2, 0.26, "faster").inverse
    assert (fast.value, fast.low, fast.high) == pytest.approx((4.0, 1 / 0.26, 5.0))
    assert fast.answer == "slower"
    assert Ratio(1.0, 0.0, math.inf, "cannot tell").inverse.shown == "unknown"


def test_no_source_prints_a_number_by_a_format_that_has_exponents() -> None:
    pattern = re.compile(r":,?\.[1-5]g\b")
    # Rounds a number that is formatted later; the largest numbers of float formats (lab 12).
    allowed = re.compile(r"float\(f[\"']|\"largest\\?\"")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for folder in ("hpml/benchmark", "hpml/course", "hpml/profiling", "notebooks")
        for path in sorted((ROOT / folder).rglob("*.*"))
        if path.suffix in (".py", ".ipynb")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line) and not allowed.search(line)
    ]
    assert found == []


def test_the_advice_on_a_busy_machine_appears_once_in_a_report() -> None:
    begin_report()
    busy = [("a", Advice("unstable", "the middle half spans 40%", "Close other programs."))]
    narrow = [("a", Advice("cannot tell", "25 rounds show 30%", "Take more rounds."))]
    assert "Close other programs" in footnote(busy, "first")
    assert "Close other programs" in footnote(busy, "first")  # the same one as text and as HTML
    assert footnote(busy, "second") == ""
    assert "Take more rounds" in footnote(narrow, "second")
    assert footnote(narrow, "third") == "Cannot tell: a (25 rounds show 30%)."
    end_report()
    assert footnote(busy, "third") == footnote(busy, "fourth") != ""
