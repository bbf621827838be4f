"""Points for time, on a clock that stands still: two sides that take exactly so long."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import chain, cycle, repeat
from types import SimpleNamespace
from typing import Any

import pytest

from hpml.course.grading import speed
from hpml.course.grading.judge import Item
from hpml.course.grading.sandbox import Limits
from hpml.course.grading.speed import MOST_ROUNDS, Ratio, Sample, compare, points_for
from hpml.course.lesson.exercises.exercise import Case, Speed
from hpml.course.lesson.exercises.outcomes import NoAnswer
from tests.benchmark.fakes import FakeClock

CARRYING = 0.010


def _inputs(generator: random.Random) -> Case:
    return Case("a number", {"n": generator.randint(1, 10**9)})


SPEED = Speed(points=2.0, reference="none", inputs=_inputs, full=1.5, none=6.0, beside="another")


class Side:
    """Takes so many seconds for its calls, and so many for the rest, round after round."""

    def __init__(
        self, clock: FakeClock, inner: Iterator[float], carrying: Iterator[float] | None = None
    ) -> None:
        self._clock = clock
        self._inner = inner
        self._carrying = carrying or repeat(CARRYING)
        self.seen: list[str] = []

    def sample(self, data: str) -> Sample | NoAnswer:
        self.seen.append(data)
        inner = next(self._inner)
        whole = inner + next(self._carrying)
        self._clock.advance(whole)
        return Sample(whole, inner, "fine")


def _right(case: Case, outcome: object) -> str:
    return ""


def _measured(
    inner: Iterator[float],
    *,
    carrying: float = CARRYING,
    held: Iterator[float] | None = None,
    reference: Iterator[float] | None = None,
    check: Callable[[Case, object], str] = _right,
) -> Ratio | str:
    clock = FakeClock()
    mine = Side(clock, inner, repeat(carrying))
    theirs = Side(clock, reference or repeat(1e-3), held)
    return compare(SPEED, mine.sample, theirs.sample, check, random.Random(1), clock=clock)


def _ratio(found: Ratio | str) -> Ratio:
    assert isinstance(found, Ratio), found
    return found


@pytest.mark.parametrize(
    ("ratio", "points"), [(0.1, 3.0), (0.5, 3.0), (0.51, 2.0), (0.75, 2.0), (1.0, 1.0), (1.26, 0.0)]
)
def test_points_fall_in_steps(ratio: float, points: float) -> None:
    steps = Speed(
        3.0,
        lambda: None,
        _inputs,
        full=0.5,
        none=1.25,
        beside="another",
        steps=((0.75, 2.0), (1.25, 1.0)),
    )
    assert points_for(steps, ratio) == points
    text = speed._described(steps, Ratio(ratio, ratio, ratio, 9, True))
    assert text.endswith("0.500×, 2 up to 0.750×, 1 up to 1.25×, none above 1.25×.")
    assert steps.rule == (
        "3 points are for speed, measured in grading: all at up to 0.5 times the time of another, "
        "2 at up to 0.75 times, 1 at up to 1.25 times."
    )


@pytest.mark.parametrize(
    ("ratio", "points"), [(0.1, 2.0), (1.5, 2.0), (3.0, 1.0), (6.0, 0.0), (100.0, 0.0)]
)
def test_points_fall_with_the_logarithm_of_the_ratio(ratio: float, points: float) -> None:
    assert points_for(SPEED, ratio) == points


def test_a_steady_ratio_is_found_after_few_rounds() -> None:
    found = _ratio(_measured(repeat(1.2e-3)))
    assert found.value == pytest.approx(1.2)
    assert (found.low, found.high) == (pytest.approx(1.2), pytest.approx(1.2))
    assert found.decided
    assert found.rounds <= 15


SLOWER = [1e-3 * 1.05**place for place in range(200)]
UNSTEADY: dict[str, tuple[Iterator[float], Iterator[float], float]] = {
    "a side that waits for a core at first": (
        chain(repeat(9e-3, 12), repeat(1.2e-3)), repeat(1e-3), 1.2
    ),
    "a drift of the machine": (iter([2 * each for each in SLOWER]), iter(SLOWER), 2.0),
    "a few wild rounds": (cycle([3e-3, 3e-3, 3e-3, 1.0]), repeat(1e-3), 3.0),
}  # fmt: skip


@pytest.mark.parametrize("what", UNSTEADY)
def test_what_disturbs_some_rounds_changes_nothing(what: str) -> None:
    inner, reference, ratio = UNSTEADY[what]
    assert _ratio(_measured(inner, reference=reference)).value == pytest.approx(ratio)


def test_what_stays_unclear_is_measured_longer_and_then_said() -> None:
    found = _ratio(_measured(cycle([1e-3, 5e-3])))
    assert found.rounds == MOST_ROUNDS
    assert not found.decided
    assert found.low < 2 < found.high, "half of the rounds took five times as long"


def test_noise_that_costs_no_points_is_no_reason_to_go_on() -> None:
    found = _ratio(_measured(cycle([0.2e-3, 1.2e-3])))
    assert found.decided
    assert found.rounds < MOST_ROUNDS


def test_measuring_ends_when_its_time_is_over() -> None:
    found = _ratio(_measured(cycle([1.0, 5.0]), reference=repeat(1.0)))
    assert 6 <= found.rounds < MOST_ROUNDS
    assert not found.decided


@pytest.mark.parametrize(
    ("inner", "carrying", "held", "ratio"),
    [
        (1e-5, CARRYING + 4e-3, None, 4.01),
        # The reference was held up twice.
        (1e-5, CARRYING + 4e-3, chain([3.0, 0.2], repeat(CARRYING)), 4.01),
        (1e-3, CARRYING * 1.04, None, 1.0),
    ],
)
def test_work_outside_of_the_calls_counts_and_a_little_more_carrying_does_not(
    inner: float, carrying: float, held: Iterator[float] | None, ratio: float
) -> None:
    found = _ratio(_measured(repeat(inner), carrying=carrying, held=held))
    assert found.value == pytest.approx(ratio)


def test_a_wrong_result_earns_nothing_however_fast() -> None:
    found = _measured(repeat(1e-3), check=lambda case, outcome: "expected 4, received 5")
    assert found == "A result was wrong during the measurement. expected 4, received 5"


def test_both_sides_get_the_same_inputs_and_new_ones_each_round() -> None:
    clock = FakeClock()
    mine, theirs = (Side(clock, repeat(1e-3)) for _ in range(2))
    compare(SPEED, mine.sample, theirs.sample, _right, random.Random(1), clock=clock)
    assert mine.seen == theirs.seen
    assert len(set(mine.seen)) == len(mine.seen)


FOUND: dict[str, tuple[Ratio | str, str]] = {
    "decided": (Ratio(2.0, 1.0, 4.0, 60, True), ""),
    "not decided": (Ratio(2.0, 1.0, 4.0, 60, False), "grade it again with --only"),
    "not measured": ("The reference gave no answer.", "grade it again with --only"),
}


@pytest.mark.parametrize("what", FOUND)
def test_a_time_that_the_machine_could_not_tell_is_shown_to_the_instructor(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, said = FOUND[what]
    monkeypatch.setattr(speed, "compare", lambda *_, **__: found)
    monkeypatch.setattr(speed, "function_source", lambda function: "")
    other: Any = SimpleNamespace(ask=lambda question, seconds: {}, frozen=None)
    submitted: Any = SimpleNamespace(
        limits=Limits(), left=lambda seconds: seconds, worker=lambda *_: nullcontext(other)
    )
    exercise: Any = SimpleNamespace(speed=SPEED, core=True)
    item = speed.add(
        submitted, Item("06", 1, "double", {"speed": 2.0}, status="right"), exercise, other
    )
    assert item.status == "partly right"
    assert said in item.note
    assert bool(said) == bool(item.note)
