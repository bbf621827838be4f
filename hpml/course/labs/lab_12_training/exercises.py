"""The exercises of lab 12: estimating an epoch, choosing a number format, scaling the loss."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.course.labs.lab_12_training.harness import first_step, scaled_gradients, steps
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

_NO_TORCH = Forbidden(
    modules=("torch", "hpml"),
    why="The functions get plain numbers; they are graded without PyTorch.",
)


def estimated_epoch(seconds: Sequence[float], steps: int) -> tuple[float, float, float]:
    """Return the seconds of an epoch and the prediction interval."""
    later = sorted(seconds[len(seconds) // 2 :])
    limit = 0.75 * (later[(len(later) - 1) // 2] + later[len(later) // 2])
    steady = list(seconds)
    while steady[0] > limit:
        del steady[0]
    n, mean = len(steady), math.fsum(steady) / len(steady)
    variance = math.fsum((s - mean) ** 2 for s in steady) / (n - 1)
    half = 2 * math.sqrt(variance * steps + variance * steps**2 / n)
    return steps * mean, steps * mean - half, steps * mean + half


def _epoch(name: str, seconds: Sequence[float], steps: int, part: str, digits: int = 4) -> Case:
    data = {"seconds": [round(s, digits) for s in seconds], "steps": steps}
    return Case(name, data, part)


def _epoch_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    def drawn(count: int, spread: float = 0.2) -> list[float]:
        return [rng.uniform(1 - spread, 1 + spread) for _ in range(count)]

    cases = [
        _epoch("all alike", [0.5] * 6, 10, "steady"),
        _epoch("two kinds", [1.0, 1.25] * 4, 100, "steady"),
        _epoch("one slow step in the middle", [1.0] * 5 + [3.0] + [1.0] * 4, 100, "steady"),
        _epoch("random times", drawn(9), rng.randint(50, 900), "steady"),
        _epoch("a slow first step", [9.0, 1.0, 1.0, 1.25, 1.0, 1.0], 100, "warm-up"),
        _epoch("three slow steps", [8.0, 4.0, 2.0] + [1.0, 1.25] * 3, 100, "warm-up"),
        _epoch("more than the first half", [8.0] * 7 + [1.0, 1.25, 1.0], 100, "warm-up"),
        _epoch("in milliseconds", [0.4] + [0.01, 0.0125] * 4, 100, "warm-up"),
        _epoch("exactly one and a half times", [9.0, 1.5] + [1.0] * 7, 100, "warm-up"),
        _epoch("a little more than one and a half times", [9.0, 1.5 + 1e-9] + [1.0] * 7, 100,
               "warm-up", 12),
        _epoch("a little less than one and a half times", [9.0, 1.5 - 1e-9] + [1.0] * 7, 100,
               "warm-up", 12),
        # Only a limit from the median of the second half is between 1.6 and 1.75.
        _epoch("just above, just below", [1.75, 1.6, 1.0, 1.25, 1.0, 1.25, 1.0, 9.0], 100,
               "warm-up"),
        # Of nine, the second half is the last five. Its median must not be computed again.
        _epoch("an odd number, close to the limit",
               [9.0, 1.75, 1.25, 1.25, 3.0, 1.0, 1.0, 1.5, 1.25], 100, "warm-up"),
        _epoch("an odd number", [9.0, 1.0, 1.25, 1.25, 3.0, 1.0, 1.0, 1.5, 1.25], 100, "warm-up"),
        _epoch("random, with a warm-up", [4.0, 2.5, *drawn(10)], rng.randint(50, 900), "warm-up"),
        _epoch("an epoch of one step", [1.0, 5.0] * 3, 1, "steady"),
        _epoch("an epoch of a million steps", [0.5, 0.625, 0.5, 0.75] * 2, 1_000_000, "steady"),
        _epoch("in hours", [3600.5 * each for each in drawn(7)], 40, "steady"),
        _epoch("a fast first step", [0.25, 9.0, 1.0, 1.25, 1.0, 1.0, 1.25], 100, "warm-up"),
        _epoch("slow again after the warm-up", [9.0, 1.0, 9.0, 8.0, 1.25, 1.0, 1.0, 1.0, 1.25], 100,
               "warm-up"),
        _epoch("slow at the end", [7.0, 5.0, 1.0, 1.25, 1.0, 1.0, 1.25, 6.0], 100, "warm-up"),
        _epoch("in microseconds", [2.5e-5, *(1e-6 * each for each in drawn(8))], 9, "warm-up", 12),
    ]  # fmt: skip
    for place in range(5 if more else 0):
        slow = sorted((rng.uniform(2, 20) for _ in range(place % 4)), reverse=True)
        times = [*slow, *drawn(rng.randint(6, 30), 0.15)]
        cases.append(
            _epoch(
                f"random, number {place + 1}",
                times,
                rng.randint(10, 2000),
                "warm-up" if slow else "steady",
            )
        )
    return cases


_EPOCH_ESTIMATE = Exercise(
    name="epoch_estimate",
    minutes=8,
    parts={"steady": 1, "warm-up": 1},
    cases=_epoch_cases,
    judge=expect(lambda case: estimated_epoch(**case.data), tolerance=1e-9),
    forbids=_NO_TORCH,
)

Formats = Mapping[str, tuple[float, ...]]

FORMATS: Formats = {
    "float16": (2.0**-14, 65504.0, 2.0**-10),
    "bfloat16": (2.0**-126, 255 * 2.0**120, 2.0**-7),
    "float32": (2.0**-126, (2**24 - 1) * 2.0**104, 2.0**-23),
}
"""The smallest normal number, the largest number, and the spacing after 1."""


def surviving_format(
    values: Sequence[float], formats: Formats, error: float, added: bool
) -> str | None:
    """Return the first format that can represent the values within the error."""
    sizes = sorted(map(abs, values))
    # Values within the allowed error of the largest may become 0.
    least = min((size for size in sizes if size > error * sizes[-1]), default=math.inf)
    top, roundings = (math.fsum(sizes), len(sizes)) if added else (sizes[-1], 1)
    for name, (smallest, largest, spacing) in formats.items():
        lost = math.fsum(size for size in sizes if added and size < smallest)
        precise = roundings * spacing / 2 <= error and lost <= error * top
        if top <= largest and precise and least >= smallest:
            return name
    return None


def _tensor(
    name: str,
    values: list[float],
    error: float = 0.01,
    added: bool = False,
    formats: Formats = FORMATS,
) -> Case:
    data = {"values": values, "formats": formats, "error": error, "added": added}
    return Case(name, data, "sums" if added else "values")


_MADE_UP: Formats = {
    "tiny": (0.5, 8.0, 0.25),
    "wide": (0.125, 64.0, 0.5),
    "fine": (0.5, 8.0, 0.125),
}

_RANGES: Formats = {"narrow": (0.5, 8.0, 2.0**-10), "wide": (2.0**-6, 8.0, 2.0**-10)}


def _drawn_formats(rng: random.Random) -> Formats:
    powers = ((-6, 0), (2, 9), (-9, -1))
    names = ("first", "second", "third")
    return {name: tuple(2.0 ** rng.randint(*each) for each in powers) for name in names}


def _precision_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _tensor("ordinary numbers", [0.5, -2.0, 3.0]),
        _tensor("too large, and negative", [1.0, -70000.0]),
        _tensor("two large ones, not added", [40000.0, 40000.0]),
        _tensor("small gradients", [1e-7, 3e-6]),
        _tensor("the largest and the smallest of float16", [65504.0]),
        _tensor("the smallest alone", [2.0**-14, 2.0**-13]),
        _tensor("a small one that may vanish", [100.0, 1e-6]),
        _tensor("a small one beside a negative one", [-100.0, 1e-6]),
        _tensor("one at the allowed error itself", [2.0**-8, 2.0**-15], 2.0**-7),
        _tensor("a small one that counts", [0.001] * 6 + [2e-5]),
        _tensor("a zero among others", [0.0, 1.0]),
        _tensor("rounding exactly as allowed", [1.0], 2.0**-11),
        _tensor("finer than any format", [1.0], 1e-9),
        _tensor("made-up formats", [4.0, -20.0], 0.25, formats=_MADE_UP),
        _tensor("the largest number of a format", [8.0], 0.125, formats=_MADE_UP),
        _tensor("a hundred ones added", [1.0] * 100, added=True),
        _tensor("many ones, a coarse answer", [1.0] * 60, 0.25, added=True),
        _tensor("a sum that grows too large", [30000.0] * 3, added=True),
        _tensor("signs that cancel", [40000.0, -40000.0], added=True),
        _tensor("nothing but zeros", [0.0, -0.0]),
        _tensor("one that is infinite", [1.0, -math.inf]),
        _tensor("far too large", [1e300, 1.0]),
        _tensor("far too small", [1e-300, -1e-301]),
        _tensor("a little too large", [-65505.0]),
        _tensor("a little too small", [-(2.0**-14) * (1 - 2.0**-20)]),
        _tensor("one a little above the allowed error", [2.0**-8, 1.001 * 2.0**-15], 2.0**-7),
        _tensor("rounding a little more than allowed", [1.0], 2.0**-11 * (1 - 2.0**-20)),
        _tensor("the finest format last", [1.0], 2.0**-9),
        _tensor("the finest format first", [1.0], 0.25, formats=dict([*FORMATS.items()][::-1])),
        _tensor("no format", [1.0], formats={}),
        _tensor("a sum as large as allowed", [32752.0, -32752.0], added=True),
        _tensor("a sum a little too large", [32752.0, -32753.0], added=True),
        _tensor("roundings exactly as allowed", [1.0] * 8, 8 * 2.0**-11, True),
        _tensor("zeros are added as well", [1.0] * 4 + [0.0] * 4, 4.5 * 2.0**-11, True),
        _tensor("small beside the sum, not beside the largest", [1.0] * 3 + [0.1], 0.05, True,
                _RANGES),
        _tensor("one that may vanish from a sum", [1.0] * 3 + [0.04], 0.05, True, _RANGES),
        _tensor("many small ones, added", [0.0061] + [6.05e-5] * 19, added=True,
                formats={name: FORMATS[name] for name in ("float16", "float32")}),
        _tensor("as much of a sum as may vanish", [2.0] * 3 + [1.0] + [0.25, -0.25] * 2, 0.125,
                True, _RANGES),
        _tensor("a little more than may vanish", [2.0] * 3 + [0.9] + [0.25, -0.25] * 2, 0.125,
                True, _RANGES),
        _tensor("a sum of the smallest numbers", [0.5, -0.5] * 2, 0.125, True, _RANGES),
        _tensor("many small ones, not added", [2.0] + [0.25, -0.25] * 4, 0.125, formats=_RANGES),
        _tensor("one value, added", [3.0], 2.0**-11, True),
        _tensor("zeros, added", [0.0] * 3, added=True),
        _tensor("small, and added", [2.0**-20] * 3, added=True),
        _tensor("no format for a sum", [1.0] * 100, 1e-9, True),
    ]  # fmt: skip
    for place in range(12 if more else 4):
        few = rng.randint(2, 6)
        values = [rng.choice([-1, 1]) * 2.0 ** rng.randint(-8, 9) for _ in range(few)]
        error = 2.0 ** -rng.randint(1, 8)
        cases.append(
            _tensor(
                f"random, number {place + 1}", values, error, place % 2 == 1, _drawn_formats(rng)
            )
        )
    return cases


_CHOOSE_PRECISION = Exercise(
    name="choose_precision",
    minutes=10,
    parts={"values": 1, "sums": 1},
    cases=_precision_cases,
    judge=expect(lambda case: surviving_format(**case.data)),
    forbids=_NO_TORCH,
)


def scaled_step(
    scaled: Sequence[float], scale: float, good: int, interval: int
) -> tuple[list[float] | None, float, int]:
    """Return the gradients or None, the next scale and the count after a step of loss scaling."""
    if not math.isfinite(sum(abs(g) / 1e300 for g in scaled)):
        return None, 0.5 * scale, 0
    grown, count = divmod(good + 1, interval)
    return [g / scale for g in scaled], scale * 2**grown, count


def scaled_run(data: Mapping[str, Any]) -> list[tuple[list[float] | None, float, int]]:
    """Return the result of each step of a case; each step uses the scale of the previous one."""
    scale, good, found = data["scale"], data["good"], []
    for true in data.get("true", [None]):
        scaled = data["scaled"] if true is None else scaled_gradients(true, scale)
        found.append(scaled_step(scaled, scale, good, data["interval"]))
        _, scale, good = found[-1]
    return found


def _step(name: str, scaled: Sequence[float], scale: float, good: int, interval: int) -> Case:
    data = {"scaled": list(scaled), "scale": scale, "good": good, "interval": interval}
    return Case(name, data, "step")


def _training(name: str, true: Sequence[Sequence[float]], scale: float, interval: int) -> Case:
    data = {"true": [list(each) for each in true], "scale": scale, "good": 0, "interval": interval}
    call = f"{len(true)} steps, beginning with grad_scaler(..., {scale!r}, 0, {interval})"
    return Case(name, data, "run", call)


def _scaler_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    inf, nan = math.inf, math.nan
    cases = [
        _step("an ordinary step", [8.0, -4.0], 4.0, 0, 2000),
        _step("an infinite gradient", [1.0, inf], 1024.0, 5, 2000),
        _step("a negative infinite one", [-inf, 1.0], 1024.0, 5, 2000),
        _step("one that is not a number", [1.0, nan, 2.0], 1024.0, 5, 2000),
        _step("finite, but not their sum", [1.5e308, 1.5e308], 2.0, 0, 2000),
        _step("the one at which it grows", [4.0], 4.0, 3, 4),
        _step("an overflow at that step", [inf], 4.0, 3, 4),
        _step("a gradient of 0", [0.0], 4.0, 0, 2000),
        _step("zeros among others", [0.0, -8.0, 0.0], 4.0, 7, 8),
        _step("no gradients", [], 4.0, 1, 2000),
        _step("nothing but NaN", [nan], 64.0, 0, 2000),
        _step("the last one is not a number", [1.0, 2.0, nan], 64.0, 19, 20),
        _step("the last one is infinite", [1.0, 2.0, -inf], 64.0, 1, 2000),
        _step("infinities that cancel", [inf, -inf], 64.0, 1, 2000),
        _step("an overflow at a scale of 1", [inf], 1.0, 1, 2000),
        _step("an overflow at a scale of 3", [inf, 0.0], 3.0, 0, 2000),
        _step("a scale below 1", [3.0, -1.0], 2.0**-20, 4, 2000),
        _step("an overflow at a scale below 1", [nan], 2.0**-20, 4, 2000),
        _step("a large scale that grows", [2.0**41], 2.0**40, 1, 2),
        _step("each step grows", [4.0], 4.0, 0, 1),
        _step("one before it grows", [4.0], 4.0, 1998, 2000),
        _step("small gradients", [1e-300, -1e-290], 1024.0, 0, 2000),
        _step("large gradients", [1.7e308, -1e300], 1024.0, 0, 2000),
        _step("no power of two", [7.0, -0.3], 10.0, 0, 2000),
        _step("random gradients", [rng.uniform(-9, 9) for _ in range(3)], 2.0 ** rng.randint(1, 16),
              rng.randint(0, 9), 20),
        _training("a scale that is far too large", [[3.0]] * 12, 2.0**24, 5),
        _training("some gradients are not a number", [[1.0], [nan], [1.0], [nan], [1.0]] * 2,
                  64.0, 3),
    ]  # fmt: skip
    for place in range(6 if more else 2):
        sizes = [rng.uniform(-1, 1) * 2.0 ** rng.randint(-4, 8) for _ in range(30)]
        true = [[size, size / 2] for size in sizes]
        name = f"a random run, number {place + 1}"
        cases.append(_training(name, true, 2.0 ** rng.randint(4, 16), rng.randint(2, 4)))
    return cases


_GRAD_SCALER = Exercise(
    name="grad_scaler",
    minutes=6,
    parts={"step": 1, "run": 2},
    core=False,
    cases=_scaler_cases,
    judge=expect(lambda case: scaled_run(case.data), tolerance=1e-9),
    forbids=_NO_TORCH,
    arguments=first_step,
    observe=steps,
)


EXERCISES: tuple[Exercise, ...] = (_EPOCH_ESTIMATE, _CHOOSE_PRECISION, _GRAD_SCALER)
