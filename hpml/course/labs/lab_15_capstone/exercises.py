"""The exercises of lab 15: the speed-up of fixes, and a faster training script."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from hpml.benchmark.sampling.timing import torch_threads
from hpml.course.labs.lab_15_capstone.harness import reported, waves
from hpml.course.labs.lab_15_capstone.scripts import (
    KINDS,
    ORIGINALS,
    original,
    original_transformer,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Speed, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, observed, symptom
from hpml.course.lesson.exercises.same import expect

TOLERANCE = 1e-4
"""The allowed difference from the original, which computes in float64: a hundred times float32's
rounding error, but far below that of a 16-bit format or a different step."""


SIZES: Mapping[str, Mapping[str, Any]] = {
    "network": {
        "count": 380, "length": 320, "width": 128, "epochs": 2, "batch_size": 64, "rate": 0.1,
    },
    "transformer": {
        "count": 380, "length": 48, "width": 24, "epochs": 2, "batch_size": 190, "rate": 0.1,
    },
}  # fmt: skip
"""The sizes of each script for profiling, racing and grading. Without the planted faults both are
about four times as fast; `python -m tests.benchmarks.capstone` measures it."""

NOTHING = 1e-9
"""A share of the time that counts as none: the rounding of shares leaves about 1e-16."""


def _fix_case(
    name: str, shares: Mapping[str, float], factors: Mapping[str, float], part: str = "fixes"
) -> Case:
    return Case(name, {"shares": dict(shares), "factors": dict(factors)}, part)


def _fix_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    # Multiples of 1/64 are exact in binary, so the remaining share is exact.
    cases = [
        _fix_case("half of it, twice as fast", {"f": 0.5}, {"f": 2.0}),
        _fix_case("nothing fixed", {"f": 0.25, "g": 0.5}, {}),
        _fix_case("one of two", {"f": 0.25, "g": 0.5}, {"g": 4.0}),
        _fix_case("both", {"f": 0.25, "g": 0.5}, {"f": 8.0, "g": 2.0}),
        _fix_case("made slower", {"f": 0.25, "g": 0.5}, {"g": 0.5}),
        _fix_case("half of it free", {"f": 0.5, "g": 0.25}, {"f": math.inf}, "free"),
        _fix_case("all parts free", {"f": 0.25, "g": 0.25},
                  {"f": math.inf, "g": math.inf}, "free"),
        _fix_case("all of it free", {"f": 0.75, "g": 0.25},
                  {"f": math.inf, "g": math.inf}, "free"),
        _fix_case("all of it free, with rounding", {"f": 0.7, "g": 0.2, "h": 0.1},
                  dict.fromkeys("fgh", math.inf), "free"),
        # From Python 3.12 on, `sum` rounds once: these sum to less than 1 even so.
        _fix_case("all of it free, rounded once", {"f": 0.57, "g": 0.35, "h": 0.08},
                  dict.fromkeys("fgh", math.inf), "free"),
        _fix_case("all of it free, in another order", {"f": 0.1, "g": 0.7, "h": 0.2},
                  dict.fromkeys("hgf", math.inf), "free"),
        _fix_case("ten tenths free", {f"f{k}": 0.1 for k in range(10)},
                  {f"f{k}": math.inf for k in range(10)}, "free"),
        _fix_case("nearly all of it free", {"f": 0.75, "g": 0.245},
                  {"f": math.inf, "g": math.inf}, "free"),
        _fix_case("a millionth is left", {"f": 1 - 2.0**-20}, {"f": math.inf}, "free"),
        _fix_case("a part that takes no time", {"f": 0.0, "g": 0.5}, {"f": math.inf}, "free"),
        _fix_case("all that is fixed is free", {"f": 0.25, "g": 0.75}, {"f": math.inf}, "free"),
        _fix_case("free and slower", {"f": 0.5, "g": 0.5}, {"f": math.inf, "g": 0.25}, "free"),
        _fix_case("all of the time in one part", {"f": 1.0}, {"f": 3.0}),
        _fix_case("the parts are all of the time", {"f": 0.25, "g": 0.75}, {"g": 1.5}),
        _fix_case("a factor of 1", {"f": 0.25, "g": 0.5}, {"f": 1.0, "g": 2.0}),
        _fix_case("very much faster", {"f": 0.25, "g": 0.5}, {"f": 1e300}),
        _fix_case("very much slower", {"f": 0.25, "g": 0.5}, {"f": 1e-9}),
        _fix_case("names that begin alike", {"f": 0.25, "ff": 0.5}, {"ff": 2.0}),
    ]  # fmt: skip
    for number in range(6 if more else 2):
        parts = [generator.randint(1, 15) / 64 for _ in range(4)]
        shares = dict(zip("fghk", parts, strict=True))
        factors = {name: generator.randint(2, 40) / 4 for name in generator.sample("fghk", 3)}
        cases.append(_fix_case(f"drawn, number {number + 1}", shares, factors))
        free = factors | {generator.choice("fghk"): math.inf}
        cases.append(_fix_case(f"one free, number {number + 1}", shares, free, "free"))
    return cases


def _speed_up(case: Case) -> float:
    shares, factors = case.data["shares"], case.data["factors"]
    left = math.fsum(
        [1.0, *(share / factors.get(name, 1.0) - share for name, share in shares.items())]
    )
    return 1 / left if left > NOTHING else math.inf


_SPEED_UP = Exercise(
    name="speed_up",
    minutes=6,
    parts={"fixes": 2, "free": 1},
    cases=_fix_cases,
    judge=expect(_speed_up, tolerance=1e-9),
)


def _training(generator: random.Random, name: str, part: str = "losses", **settings: Any) -> Case:
    data = {
        "count": 20, "length": 24, "width": 8, "epochs": 2, "batch_size": 6,
        "rate": generator.choice([0.06, 0.08, 0.1]), "seed": generator.randint(0, 999),
        "drawn": generator.randint(0, 2**40),
    } | settings  # fmt: skip
    keywords = ", ".join(f"{key}={data[key]}" for key in ("width", "epochs", "batch_size", "rate"))
    call = f"train(signals, labels, {keywords}, seed={data['seed']})  # {data['count']} signals"
    return Case(name, data, part, call)


def _training_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _training(generator, "one step", count=6, epochs=1),
        _training(generator, "a smaller last batch", count=20, epochs=1),
        _training(generator, "three epochs and a smaller last batch", count=21, epochs=3),
        _training(generator, "a last batch of one", count=13),
        _training(generator, "one batch for all", count=5, batch_size=8),
    ]
    for number in range(4 if more else 0):
        count, length = generator.randint(30, 90), generator.choice([16, 40, 64])
        width, epochs = 4 * generator.randint(2, 10), generator.randint(1, 4)
        batch = generator.randint(7, 29)
        cases.append(
            _training(
                generator,
                f"drawn, number {number + 1}",
                count=count,
                length=length,
                width=width,
                epochs=epochs,
                batch_size=batch,
            )
        )
    return cases


@lru_cache(maxsize=64)
def _trained(kind: str, data: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    # On a busy machine two threads would take ten times as long for so small a network.
    with torch_threads(1):
        observed: dict[str, Any] = reported(ORIGINALS[kind](**waves(dict(data))), {})
    return observed


def _expected(case: Case, kind: str) -> dict[str, Any]:
    return _trained(kind, tuple(case.data.items()))


def judge_kind(kind: str) -> Callable[[Case, Outcome], Wrong | None]:
    """Return the judge that compares the reports of a training with one original's."""
    return expect(lambda case: _expected(case, kind), tolerance=TOLERANCE, absolute=TOLERANCE)


def judge_training(case: Case, outcome: Outcome) -> Wrong | None:
    """Judge the reports of a training by those of either original, or of the one that is named.

    If both differ, the answer is about the original that the reports are closer to.
    """
    wrong: dict[str, Wrong] = {}
    for kind in [case.data["script"]] if "script" in case.data else KINDS:
        found = judge_kind(kind)(case, outcome)
        if found is None:
            return None
        wrong[kind] = found
    kind = min(wrong, key=lambda kind: _distance(_expected(case, kind), outcome))
    why = wrong[kind].why
    return replace(wrong[kind], why=f"{why} (beside the original {kind})" if why else "")


def _distance(expected: Mapping[str, Any], outcome: Outcome) -> float:
    """Return how far the reported numbers are from the expected ones, by the median."""
    try:
        pairs = zip(_flat(expected), _flat(observed(outcome)), strict=False)
        return statistics.median(abs(one - other) for one, other in pairs)
    except (TypeError, KeyError, ValueError):
        return 0.0  # no such numbers


def _flat(reports: Any) -> list[float]:
    return [*(value for step in reports["steps"] for value in step), *reports["epochs"]]


def _training_symptom(case: Case, outcome: Outcome) -> object:
    """Return the reported numbers, rounded to digits that are correct in any precision."""
    found = observed(outcome)
    if found is None:
        return symptom(case, outcome)
    return [round(number, 3) for number in _flat(found)]


def _large(kind: str, generator: random.Random) -> Case:
    sizes = SIZES[kind]
    return _training(generator, f"{sizes['count']} signals", "speed", **sizes, script=kind)


_SPEED = Speed(
    points=7,
    reference=original,
    inputs=partial(_large, "network"),
    full=1 / 2.9,
    none=0.95,
    beside="the original",
)


_TRAIN = Exercise(
    name="train",
    minutes=30,
    parts={"losses": 1},
    cases=_training_cases,
    judge=judge_training,
    symptom=_training_symptom,
    forbids=Forbidden(
        modules=("hpml", "threading", "multiprocessing", "concurrent"),
        names=("set_num_threads", "set_num_interop_threads", "compile"),
        why="The original and your version are compared on one thread, without a compiler.",
    ),
    arguments=waves,
    observe=reported,
    seconds=10.0,
    patience=10.0,
    packages=("numpy", "torch"),
    speed=replace(
        _SPEED,
        alternatives=(
            replace(_SPEED, reference=original_transformer, inputs=partial(_large, "transformer")),
        ),
    ),
)

EXERCISES: tuple[Exercise, ...] = (_SPEED_UP, _TRAIN)
