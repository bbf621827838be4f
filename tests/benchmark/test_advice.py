from __future__ import annotations

import random

import pytest

from hpml.benchmark import Case, Comparison, Measurement
from hpml.benchmark.advice import judge
from hpml.benchmark.tables import cases_table

CALM = tuple(1e-3 + 1e-6 * (i % 5) for i in range(25))
SPREAD = tuple(1e-3 * (1 + 0.5 * (i % 5)) for i in range(25))
DRIFTING = tuple(1e-3 * (1 + 0.02 * i) for i in range(25))


def problems(samples: list[float], number: int = 10) -> list[str]:
    return [advice.problem for advice in judge(samples, number)]


def quiet(count: int = 25, seed: int = 0, noise: float = 0.01) -> list[float]:
    generator = random.Random(seed)
    return [1e-3 * generator.gauss(1, noise) for _ in range(count)]


def busy(count: int = 9) -> Comparison:
    """A calm baseline among contenders that drift or spread."""
    others = [Measurement(f"way {n}", SPREAD if n % 2 else DRIFTING, 10) for n in range(count - 1)]
    return Comparison((Measurement("base", CALM, 10), *others), "base", 25)


def test_a_quiet_measurement_gets_no_advice() -> None:
    assert problems(quiet()) == []


def test_a_sample_that_the_clock_disturbs_is_too_short() -> None:
    short = [sample * 1e-4 for sample in quiet()]
    assert problems(short, 10) == ["short samples"]
    assert problems(short, 2000) == []


@pytest.mark.parametrize(("factor", "word"), [(1.004, "slower"), (0.996, "faster")])
def test_a_drift_is_reported_with_its_direction(factor: float, word: str) -> None:
    (advice,) = judge([sample * factor**i for i, sample in enumerate(quiet())], 10)
    assert advice.problem == "unstable"
    assert word in advice.seen


def test_what_is_too_small_to_matter_is_not_reported() -> None:
    assert problems([1e-3 * 1.0005**i for i in range(25)]) == []
    samples = quiet()
    samples[3] = 5e-3
    assert problems(samples) == []


def test_a_wide_spread_is_reported() -> None:
    generator = random.Random(5)
    assert problems([1e-3 * generator.uniform(0.8, 1.2) for _ in range(25)]) == ["unstable"]


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 29])
def test_equal_samples_of_any_number_are_judged(count: int) -> None:
    assert problems([1e-3] * count) == (["few samples"] if count < 6 else [])


def test_a_table_has_one_footnote_however_many_contenders_are_unstable() -> None:
    few, many = (str(busy(count)).splitlines()[2 + count :] for count in (13, 41))
    assert len(few) == len(many) == 2
    assert len(many[1]) < 600
    assert "way 0, way 2, way 4, way 6 and 16 more" in many[1]
    cases = str(cases_table(Case("s", {"layers": n}, busy()) for n in (250, 1000))).splitlines()
    assert len(cases) == 2 + 18 + 2
    calm = Comparison((Measurement("base", CALM, 10),), "base", 25)
    assert str(calm).splitlines()[-1].startswith("Ratio:")


def test_a_name_with_a_comma_is_quoted_among_others() -> None:
    spread = tuple(Measurement(name, SPREAD, 10) for name in ("l[0], ...", "codegen"))
    comparison = Comparison((Measurement("base", CALM, 10), *spread), "base", 25)
    assert "“l[0], ...”, codegen" in str(comparison)
