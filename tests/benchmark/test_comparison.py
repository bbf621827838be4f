from __future__ import annotations

import random

import pytest

from hpml.benchmark import BenchmarkError, Comparison, Measurement
from hpml.benchmark.ratio import paired_ratio
from tests.parts import raises


def test_ratios_pair_the_rounds() -> None:
    # Each round another machine: unpaired, the two look alike.
    machine = [random.Random(i).uniform(1, 10) for i in range(25)]
    ratio = paired_ratio(tuple(0.9 * m for m in machine), tuple(machine))
    assert ratio.value == pytest.approx(0.9)
    assert ratio.answer == "faster"
    assert ratio.speed_up == pytest.approx(1 / 0.9)


def test_samples_from_different_numbers_of_rounds_are_refused() -> None:
    with raises(BenchmarkError, object="samples of paired_ratio", received="2 and 1"):
        paired_ratio((1.0, 2.0), (1.0,))
    pair = (Measurement("a", (1.0, 1.0), 1), Measurement("b", (1.0,), 1))
    with raises(BenchmarkError, object="samples of a comparison", received="1 and 2"):
        Comparison(pair, "a", 2)


def test_names_that_are_no_contender_are_refused() -> None:
    pair = (Measurement("a", (1.0,), 1), Measurement("b", (1.0,), 1))
    with raises(BenchmarkError, object="contenders of a comparison", received="a, b and the"):
        Comparison(pair, "c", 1)
    with raises(BenchmarkError, object="contender of this comparison", received="'c'"):
        Comparison(pair, "a", 1)["c"]


def test_cannot_tell_names_the_difference_that_would_be_seen() -> None:
    wide = (*tuple(1.04 + 0.1 * (-1) ** i for i in range(24)), 1.04)
    pair = Measurement("a", (1.0,) * 25, 1), Measurement("b", wide, 1)
    undecided = Comparison(pair, "a", 25)
    (advice,) = [a for name, a in undecided.advice if a.problem == "cannot tell"]
    assert "differences of about 5% or more" in advice.seen


@pytest.mark.parametrize("samples", [(), (0.0,), (-1.0,), (float("nan"),), (float("inf"),)])
def test_samples_that_no_clock_can_give_are_refused(samples: tuple[float, ...]) -> None:
    with raises(BenchmarkError, object="measurement 'a'", received=str(samples)):
        Measurement("a", samples, 1)
