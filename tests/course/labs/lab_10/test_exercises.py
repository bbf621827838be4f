from __future__ import annotations

import gc
import itertools
import math
import operator
import random
import statistics
import timeit
from collections.abc import Callable
from typing import Any

import pytest

from hpml.benchmark.robust import median_interval, signed_rank_interval
from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_10_benchmarking import race
from hpml.course.labs.lab_10_benchmarking.samples import clear_verdict
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.judging import judge

Rule = Callable[[list[float], list[float]], str]


def side(low: float, high: float) -> str:
    return "faster" if high < 0 else "slower" if low > 0 else "cannot tell"


def by_interval(interval: Callable[..., tuple[float, float]], confidence: float) -> Rule:
    def rule(a: list[float], b: list[float]) -> str:
        if len(a) < 6:
            return "cannot tell"
        quotients = [math.log(x / y) for x, y in zip(a, b, strict=True)]
        return side(*interval(quotients, confidence))

    return rule


def by_differences(a: list[float], b: list[float]) -> str:
    """A t-test on the differences of the rounds."""
    if len(a) < 6:
        return "cannot tell"
    apart = [x - y for x, y in zip(a, b, strict=True)]
    middle, error = statistics.mean(apart), statistics.stdev(apart) / math.sqrt(len(a))
    return side(middle - 2.3 * error, middle + 2.3 * error)


def by_bootstrap(a: list[float], b: list[float]) -> str:
    if len(a) < 6:
        return "cannot tell"
    chance, logs = random.Random(0), [math.log(x / y) for x, y in zip(a, b, strict=True)]
    drawn = sorted(statistics.median(chance.choices(logs, k=len(logs))) for _ in range(200))
    return side(drawn[4], drawn[-5])


def by_library(a: list[float], b: list[float]) -> str:
    return race.by_library(a, b) if a else "cannot tell"


SOUND: dict[str, Rule] = {
    "order statistics": by_interval(median_interval, 0.95),
    "signed ranks": by_interval(signed_rank_interval, 0.95),
    "differences": by_differences,
    "bootstrap": by_bootstrap,
    "library": by_library,
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", SOUND)
def test_every_sound_rule_earns_all_points_under_every_seed(name: str) -> None:
    exercise = find("is_faster")
    for seed in range(4):
        cases = exercise.cases(random.Random(seed), True)
        verdict = judge(exercise, cases, run(exercise, SOUND[name], cases))
        assert verdict.right, f"seed {seed}: {verdict.text}"


def test_samples_on_which_sound_rules_part_are_not_judged() -> None:
    quotients = [0.97] * 18 + [1.01] * 7  # enough tosses, hardly enough ranks
    assert clear_verdict(quotients, [1.0] * 25) is None


def test_autorange_of_the_exercise_is_that_of_timeit() -> None:
    exercise = find("autorange")
    for case in visible_cases(exercise):
        (outcome,) = run(exercise, _through_timeit, [case])
        assert judge(exercise, [case], [outcome]).right, case.name


def _through_timeit(run: Any, clock: Any) -> tuple[int, float]:
    timer = timeit.Timer(timer=clock)
    timer.inner = lambda it, read: _timed(run, read, operator.length_hint(it))  # type: ignore[attr-defined]
    number, seconds = timer.autorange()
    return number, seconds


def _timed(run: Any, read: Any, number: int) -> float:
    start = read()
    run(number)
    return float(read() - start)


def test_the_collector_is_as_it_was_after_a_call_that_changes_it() -> None:
    exercise, before = find("repeat"), gc.isenabled()
    for case, change in itertools.product(visible_cases(exercise), (gc.enable, gc.disable)):
        run(exercise, lambda run, clock, change=change: change(), [case])
        assert gc.isenabled() is before


@pytest.mark.parametrize("missing", ["faster", "slower"])
def test_a_rule_that_knows_one_direction_loses_points_under_every_seed(missing: str) -> None:
    exercise = find("is_faster")

    def rule(a: list[float], b: list[float]) -> str:
        answer = by_differences(a, b)
        return "cannot tell" if answer == missing else answer

    for seed in range(4):
        cases = exercise.cases(random.Random(seed), False)
        parts = judge(exercise, cases, run(exercise, rule, cases)).parts
        assert parts["clear"] == parts["paired"] == 0, seed
