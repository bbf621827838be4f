"""Points for time: measure a submission against a reference on one machine.

Each side runs in its own process, in rounds with new inputs, the same for both, in random order.
The grader's clock runs from sending the inputs until the results have arrived as plain data, so no
work can be hidden. The transfer time, measured with the reference, is subtracted. The median of the
rounds' ratios gives the points, and its interval says how certain they are. While the reference
runs, all processes of the submission are stopped.

A student may have had several tasks to choose from. Then each task's inputs are tried once, and the
submission is raced against the reference of the first that it does right.
"""

from __future__ import annotations

import contextlib
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial

from hpml.base.tables import format_ratio
from hpml.benchmark.robust import median, median_interval
from hpml.course.grading.judge import Item, points
from hpml.course.grading.run import Submitted
from hpml.course.grading.worker_client import Printed, WorkerClient
from hpml.course.lesson.exercises.exercise import Case, Exercise, Speed
from hpml.course.lesson.exercises.judging import judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, outcome_of
from hpml.course.sandbox.harness import function_source, harness_source
from hpml.course.sandbox.plain import encode

FEWEST_ROUNDS = 6  # fewer have no 95 % interval
MOST_ROUNDS = 600
MOST_SECONDS = 30.0
# Measured before points are lost: on a busy machine one side may wait for a core for many rounds.
_LEAST_SECONDS = 2.0
_BETWEEN_LOOKS = 3
# The share of the points that may depend on the position within the interval.
_NARROW = 0.05
# Transfer times of two processes differ by this much without hidden work.
_TOLERATED = 0.05


@dataclass(frozen=True)
class Sample:
    """One round of one side: seconds in total, and from the start signal to the results."""

    whole: float
    inner: float
    outcome: object


Side = Callable[[str], Sample | NoAnswer]
"""Calls a function once with the data of a case, which is JSON, and says how long it took."""


@dataclass(frozen=True)
class Ratio:
    """Time of the submission / time of the reference: median and 95 % interval."""

    value: float
    low: float
    high: float
    rounds: int
    decided: bool  # the points are nearly the same across the interval


def points_for(speed: Speed, ratio: float) -> float:
    """Return the points of a ratio: all up to `full`, none from `none`, logarithmic between.

    If there are steps, a ratio between the two earns the points of the first that it is within.
    """
    if ratio <= speed.full:
        return float(speed.points)
    if speed.steps:
        return next((float(earned) for limit, earned in speed.steps if ratio <= limit), 0.0)
    if ratio >= speed.none:
        return 0.0
    share = math.log(speed.none / ratio) / math.log(speed.none / speed.full)
    return round(speed.points * share, 2)


def compare(
    speed: Speed,
    submission: Side,
    reference: Side,
    check: Callable[[Case, object], str],
    generator: random.Random,
    *,
    clock: Callable[[], float] = time.monotonic,
    most_seconds: float = MOST_SECONDS,
) -> Ratio | str:
    """Measure until the points are clear; return the ratio, or why there is none."""
    began = clock()
    rounds: list[tuple[Sample, Sample]] = []
    while True:
        # A seeded generator per round: the system's generator is slow per number.
        inputs = random.Random(generator.getrandbits(256))
        case = speed.inputs(inputs)
        data = json.dumps(encode(dict(case.data)))
        samples: dict[str, Sample] = {}
        for name in generator.sample(("submission", "reference"), 2):
            sample = (submission if name == "submission" else reference)(data)
            if isinstance(sample, NoAnswer):
                return f"The {name} gave no answer during the measurement: {sample.text}"
            samples[name] = sample
        mine, theirs = samples["submission"], samples["reference"]
        wrong = check(case, mine.outcome)
        if wrong:
            return f"A result was wrong during the measurement. {wrong}"
        rounds.append((replace(mine, outcome=None), replace(theirs, outcome=None)))  # it is large
        spent = clock() - began
        if len(rounds) < FEWEST_ROUNDS:
            continue
        if spent > most_seconds or len(rounds) >= MOST_ROUNDS:
            return _ratio(speed, rounds)
        if len(rounds) % _BETWEEN_LOOKS == 0:
            ratio = _ratio(speed, rounds)
            if ratio.decided and (ratio.value <= speed.full or spent > _LEAST_SECONDS):
                return ratio


def _ratio(speed: Speed, rounds: Sequence[tuple[Sample, Sample]]) -> Ratio:
    # The median, so that one slow round of the reference (imports) does not hide work.
    carried = median([theirs.whole - theirs.inner for _, theirs in rounds])
    more = [mine.whole - mine.inner - carried for mine, _ in rounds]
    if median(more) <= _TOLERATED * carried:
        more = [0.0] * len(rounds)
    ratios = [
        (mine.inner + extra) / max(theirs.inner, 1e-9)
        for extra, (mine, theirs) in zip(more, rounds, strict=True)
    ]
    low, high = median_interval(ratios)
    best, worst = points_for(speed, low), points_for(speed, high)
    decided = best - worst <= _NARROW * speed.points
    return Ratio(median(ratios), low, high, len(ratios), decided)


def chosen(
    speed: Speed,
    submission: Side,
    check: Callable[[Case, object], str],
    generator: random.Random,
) -> Speed:
    """Return the task that a submission does, by its result for a sample of each task's inputs."""
    if not speed.alternatives:
        return speed
    for task in (speed, *speed.alternatives):
        case = task.inputs(random.Random(generator.getrandbits(256)))
        sample = submission(json.dumps(encode(dict(case.data))))
        if not isinstance(sample, NoAnswer) and not check(case, sample.outcome):
            return task
    return speed  # the measurement says what is wrong


def add(submitted: Submitted, item: Item, exercise: Exercise, worker: WorkerClient | None) -> Item:
    """Add the points for time, if the answers are right."""
    speed = exercise.speed
    assert speed is not None
    if worker is None or not item.right:  # a wrong function may be fast
        item = item.with_text("The time was not measured, because the results are not right yet.")
        return replace(item, parts={**item.parts, "speed": 0.0})
    left = submitted.left
    mine = partial(_sample, submitted, exercise, worker, contextlib.nullcontext, 0.0)
    # Not from the seed, which may be known: no result can be computed in advance.
    generator = random.SystemRandom()
    check = partial(_wrong, exercise)
    speed = chosen(speed, mine, check, generator)
    with submitted.worker(Printed(submitted.limits.printed), exercise) as other:
        question = {"do": "load", "reference": function_source(speed.reference)}
        trouble = other.ask(question, left(submitted.limits.load))
        found: Ratio | str = (
            f"The reference did not start: {trouble.text}"
            if isinstance(trouble, NoAnswer)
            else compare(
                speed,
                mine,
                # The first call of the reference imports its packages.
                partial(_sample, submitted, exercise, other, worker.frozen, submitted.limits.load),
                check,
                generator,
                most_seconds=left(MOST_SECONDS),
            )
        )
    if isinstance(found, str):
        item = item.with_note("Its time was not measured; grade it again with --only.")
        item = item.with_text(found)
        return replace(item, parts={**item.parts, "speed": 0.0}, status="partly right")
    earned = points_for(speed, found.value)
    full = earned == speed.points
    if not (full and found.decided):
        item = item.with_text(_described(speed, found))
    if not (full or found.decided):
        item = item.with_note(
            "The machine was too noisy to measure the time; grade it again with --only and "
            "--jobs 1."
        )
    status = "right" if full or not exercise.core else "partly right"
    return replace(item, parts={**item.parts, "speed": earned}, status=status)


def _described(speed: Speed, found: Ratio) -> str:
    text = (
        f"Time: {format_ratio(found.value)} of the reference's (95 % interval "
        f"{format_ratio(found.low)} to {format_ratio(found.high)}, {found.rounds} rounds). Full "
        f"points up to {format_ratio(speed.full)}, "
    )
    text += "".join(f"{points(each)} up to {format_ratio(limit)}, " for limit, each in speed.steps)
    text += f"none {'above' if speed.steps else 'from'} {format_ratio(speed.none)}."
    if not found.decided:
        best, worst = points_for(speed, found.low), points_for(speed, found.high)
        text += (
            f" The machine was too noisy to decide between {points(worst)} and {points(best)} "
            "points; the median counts. Grade again on a quiet machine."
        )
    return text


def _wrong(exercise: Exercise, case: Case, outcome: object) -> str:
    verdict = judge(exercise, [case], [outcome_of(outcome)])
    return verdict.text if verdict.failures else ""


def _sample(
    submitted: Submitted,
    exercise: Exercise,
    worker: WorkerClient,
    frozen: Callable[[], AbstractContextManager[None]],
    more: float,
    data: str,
) -> Sample | NoAnswer:
    """Send inputs to a worker, then the start signal, and wait for the results."""
    harness = harness_source(exercise.arguments, exercise.observe)
    seconds = exercise.seconds + more
    with frozen():
        times = [time.perf_counter()]
        number = worker.send({"do": "time", "case": data, "harness": harness})
        for word in ("ready", "timed"):
            answer = worker.receive(number, submitted.left(seconds))
            if isinstance(answer, NoAnswer):
                return answer
            times.append(time.perf_counter())
            outcome = answer.get("timed")
            if word == "ready":
                worker.send({"do": "go"})
    began, ready, ended = times
    return Sample(ended - began, ended - ready, outcome)
