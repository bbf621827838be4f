"""The exercises of lab 15: the speed-up of fixes, and a faster training script."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hpml.benchmark.sampling.timing import torch_threads
from hpml.course.labs.lab_15_capstone.harness import reported, waves
from hpml.course.labs.lab_15_capstone.scripts import original
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Speed
from hpml.course.lesson.exercises.outcomes import Outcome, observed, symptom
from hpml.course.lesson.exercises.same import expect

TOLERANCE = 1e-4
"""The allowed difference from the original, which computes in float64: a hundred times float32's
rounding error, but far below that of a 16-bit format or a different step."""


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
    left = math.fsum([1.0, *(share / factors.get(name, 1.0) - share
                             for name, share in shares.items())])  # fmt: skip
    return 1 / left if left else math.inf


_SPEED_UP = Exercise(
    name="speed_up",
    parts={"fixes": 2, "free": 1},
    cases=_fix_cases,
    judge=expect(_speed_up, tolerance=1e-9),
)


def _training(generator: random.Random, name: str, part: str = "losses", **settings: Any) -> Case:
    data = {
        "count": 20, "length": 24, "width": 8, "epochs": 2, "batch_size": 6,
        "rate": generator.choice([0.05, 0.1, 0.2]), "seed": generator.randint(0, 999),
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
        width, epochs = generator.randint(8, 40), generator.randint(1, 4)
        batch = generator.randint(7, 29)
        cases.append(_training(generator, f"drawn, number {number + 1}", count=count, length=length,
                               width=width, epochs=epochs, batch_size=batch))  # fmt: skip
    return cases


@lru_cache(maxsize=64)
def _trained(data: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    # On a busy machine two threads would take ten times as long for so small a network.
    with torch_threads(1):
        observed: dict[str, Any] = reported(original(**waves(dict(data))), {})
    return observed


judge_training = expect(lambda case: _trained(tuple(case.data.items())), tolerance=TOLERANCE)
"""Judge the reports of a training by those of the original."""


def _training_symptom(case: Case, outcome: Outcome) -> object:
    """Return the reported numbers, rounded to digits that are correct in any precision."""
    found = observed(outcome)
    if found is None:
        return symptom(case, outcome)
    numbers = [*(value for step in found["steps"] for value in step), *found["epochs"]]
    return [round(number, 3) for number in numbers]


def _large(generator: random.Random) -> Case:
    return _training(generator, "380 signals", "speed", count=380, length=320, width=128,
                     batch_size=64)  # fmt: skip


_TRAIN = Exercise(
    name="train",
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
    speed=Speed(points=7, reference=original, inputs=_large, full=1 / 2.9, none=0.95),
)

EXERCISES: tuple[Exercise, ...] = (_SPEED_UP, _TRAIN)
