from __future__ import annotations

import numpy as np
import pytest

from hpml.benchmark import BenchmarkError
from hpml.course.lesson import racing
from hpml.course.lesson.racing import (
    BUDGET,
    MOST_ROUNDS,
    SAMPLE,
    answering,
    race,
    rounds_for,
)
from tests.benchmarks.intervals import compare_rule, simulate
from tests.benchmarks.noise import NOISES, Noise
from tests.benchmarks.racing import RULES, sliced
from tests.stand_in import put_in


def test_the_rounds_follow_from_work_to_its_end_not_from_its_launch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = put_in(monkeypatch)
    assert racing._seconds(lambda: device.launch(0.02)) >= 0.02
    assert racing._seconds(lambda: 1 / 0) == 0


def test_only_what_gives_the_expected_result_takes_part(capsys: pytest.CaptureFixture[str]) -> None:
    def unfinished() -> object:
        raise KeyError("a")

    runs = {"none": lambda: None, "wrong": lambda: 4, "fails": unfinished, "right": lambda: 3}
    assert list(answering(runs, expected=3)) == ["right"]
    assert capsys.readouterr().out.splitlines() == [
        "none is left out: it returned None.",
        "wrong is left out: it returned 4.",
        "fails is left out: KeyError: 'a'.",
    ]


def test_a_race_takes_many_rounds_of_short_calls_and_few_of_long_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HPML_QUICK", raising=False)
    assert rounds_for([1e-7, 1e-5]) == MOST_ROUNDS
    assert rounds_for([1e-3, 1e-3]) == int(BUDGET / 1e-3)
    assert rounds_for([0.2, 0.3]) == 25
    assert rounds_for([0.2, 0.3], times=4) == 100
    assert rounds_for([1e-7, 1e-5], times=4) == 4 * MOST_ROUNDS
    shares = [rounds_for([seconds]) for seconds in (1e-6, 3e-4, 1e-3, 3e-3, 1e-2, 1.0)]
    assert shares == sorted(shares, reverse=True)
    monkeypatch.setenv("HPML_QUICK", "1")
    assert 9 <= rounds_for([0.2]) < rounds_for([1e-7]) < MOST_ROUNDS


def test_a_race_has_short_samples_and_stops_when_it_is_clear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, object] = {}
    monkeypatch.setattr(racing, "compare", lambda runs, **settings: asked.update(settings))
    race({"one": lambda: None, "two": lambda: None})
    assert (asked["min_sample_time"], asked["stop_early"]) == (SAMPLE, True)
    once = asked["rounds"]
    race({"one": lambda: None, "two": lambda: None}, times=4)
    assert (asked["rounds"], asked["stop_early"]) == (4 * int(str(once)), False)


def test_a_contender_that_fails_is_reported_with_its_name() -> None:
    with pytest.raises(BenchmarkError, match="'broken'"):
        race({"right": lambda: None, "broken": lambda: 1 / 0})


def test_short_samples_decide_more_often_beside_other_programs() -> None:
    # The machine takes the processor away for a while every 3 ms.
    decided = dict.fromkeys(RULES, 0)
    for name, (rounds, length) in RULES.items():
        rng = np.random.default_rng(5)
        for _ in range(6):
            times, _ = sliced(rng, rounds, length, load=10, effect=1.65)
            low, high = compare_rule(times)
            decided[name] += low > 0 or high < 0
    before, after = decided.values()
    assert after == 6
    assert before <= 3


@pytest.mark.thorough
@pytest.mark.parametrize("noise", [each for each in NOISES if each.seen], ids=lambda n: n.name)
def test_a_race_of_equal_contenders_is_seldom_decided(noise: Noise) -> None:
    found = simulate(noise, MOST_ROUNDS, 40, [1.02], "compare")
    assert found.false <= 0.1  # 5 % at most, and a margin of chance of 40 runs
