"""Points for time: how many times slower than a reference, on one machine, by the grader's clock.

Both sides work in a process of their own, in rounds: new inputs for each round, the same for both,
in random order, so that a drift of the machine hits both alike. The ratio of the two times of a
round does not know how fast the machine is. The median of all ratios decides, and an interval for
it says how sure that is.

The worker says when it is ready, is given the sign, and says when its calls are done; between the
two, the grader's clock runs. A submission that patches its worker could say "done" first and work
afterwards. So the whole of a round is timed as well, from sending the inputs until the results are
here. What the carrying costs is known from the reference, whose word counts. Where the submission
clearly needs more for it than the reference, what it needs more counts as its time. While the
reference runs, the submission is stopped with all of its processes, and each call has inputs of its
own, so that nothing can be remembered.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Protocol

from hpml.base.tables import format_ratio
from hpml.benchmark.robust import median, median_interval
from hpml.course.exercises.exercise import Case, Exercise, Speed
from hpml.course.exercises.judging import Verdict, judge
from hpml.course.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.grading.reports.report import Item, points
from hpml.grading.submitted import Submitted
from hpml.grading.worker_client import Printed, WorkerClient
from hpml.sandbox.harness import function_source, harness_source
from hpml.sandbox.plain import encode

FEWEST_ROUNDS = 6  # fewer have no interval of 95 %
MOST_ROUNDS = 60
MOST_SECONDS = 30.0
_BETWEEN_LOOKS = 3
# How much of the points may hang on where in the interval the truth lies.
_NARROW = 0.05
# Two processes never carry the same data in the same time; this much of it is no sign of work.
_TOLERATED = 0.05


@dataclass(frozen=True)
class Sample:
    """One round of one side: seconds of all of it, and of the calls alone by the worker's signs."""

    whole: float
    inner: float
    outcomes: Sequence[object]


class Side(Protocol):
    """One of the two, which takes a sample when asked."""

    def sample(self, data: Sequence[object]) -> Sample | NoAnswer:
        """Call the function once with the encoded data of each case, and say how long it took."""


@dataclass(frozen=True)
class Ratio:
    """How many times the reference's time a submission takes.

    Attributes:
        value: the median over all rounds.
        low: the lower end of its 95 % interval.
        high: the upper end.
        rounds: how many rounds there were.
        decided: whether the interval is so narrow, or so far on one side of `full` or `none`, that
            the points hardly depend on where in it the truth lies.
        hidden: whether the submission worked outside of its time, which was counted as well.
    """

    value: float
    low: float
    high: float
    rounds: int
    decided: bool
    hidden: bool = False


def points_for(speed: Speed, ratio: float) -> float:
    """Return the points that a ratio earns: all up to `full`, none from `none`, between by its log.

    >>> speed = Speed(2.0, sorted, lambda generator: Case("", {}), 1.0, 4.0)
    >>> points_for(speed, 0.5), points_for(speed, 2.0), points_for(speed, 4.0)
    (2.0, 1.0, 0.0)
    """
    if ratio <= speed.full:
        return float(speed.points)
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
    """Measure in rounds until it is clear what the ratio earns, or the time for it is over.

    `check` says what is wrong with an outcome. What comes is the ratio, or why there is none.
    """
    began = clock()
    rounds: list[tuple[Sample, Sample]] = []
    while True:
        cases = [speed.inputs(generator) for _ in range(max(1, speed.calls))]
        data = [encode(dict(case.data)) for case in cases]
        samples: dict[str, Sample] = {}
        for name in generator.sample(("submission", "reference"), 2):
            side = submission if name == "submission" else reference
            sample = side.sample(data)
            if isinstance(sample, NoAnswer):
                return f"The {name} gave no answer while it was measured: {sample.text}"
            samples[name] = sample
        mine, theirs = samples["submission"], samples["reference"]
        place = generator.randrange(len(cases))
        if len(mine.outcomes) != len(cases):
            return "A call failed while time was measured."
        wrong = check(cases[place], mine.outcomes[place])
        if wrong:
            return f"A result was wrong while time was measured. {wrong}"
        rounds.append((mine, theirs))
        late = clock() - began > most_seconds or len(rounds) >= MOST_ROUNDS
        if len(rounds) < FEWEST_ROUNDS:
            continue
        if late:
            return _ratio(speed, rounds)
        if len(rounds) % _BETWEEN_LOOKS == 0:
            ratio = _ratio(speed, rounds)
            if ratio.decided:
                return ratio


def _ratio(speed: Speed, rounds: Sequence[tuple[Sample, Sample]]) -> Ratio:
    ratios = [mine.inner / max(theirs.inner, 1e-9) for mine, theirs in rounds]
    # Of the median: a reference that was held up once, as by imports at first, hides no work.
    carried = median([theirs.whole - theirs.inner for _, theirs in rounds])
    more = [mine.whole - mine.inner - carried for mine, _ in rounds]
    hidden = median_interval(more)[0] > _TOLERATED * carried
    if hidden:
        ratios = [
            (mine.inner + extra) / max(theirs.inner, 1e-9)
            for (mine, theirs), extra in zip(rounds, more, strict=True)
        ]
    low, high = median_interval(ratios)
    best, worst = points_for(speed, low), points_for(speed, high)
    decided = best - worst <= _NARROW * speed.points
    return Ratio(median(ratios), low, high, len(ratios), decided, hidden)


def not_measured(item: Item) -> Item:
    """Return the item of a function that is not right: one that returns at once is fast."""
    note = "Its time was not measured, because it is not right yet."
    return replace(item, parts={**item.parts, "speed": 0.0}, text=_joined(item.text, note))


def add(
    submitted: Submitted, item: Item, exercise: Exercise, worker: WorkerClient, verdict: Verdict
) -> Item:
    """Return the item with the points for its time."""
    speed = exercise.speed
    if speed is None:
        return item
    if not verdict.right:
        return not_measured(item)
    left = submitted.left
    with submitted.worker(Printed(submitted.limits.printed), exercise) as other:
        question = {"do": "load", "reference": function_source(speed.reference)}
        trouble = other.ask(question, left(submitted.limits.load))
        found: Ratio | str = (
            f"The reference did not start: {trouble.text}"
            if isinstance(trouble, NoAnswer)
            else compare(
                speed,
                _Measured(worker, exercise, left),
                _Measured(other, exercise, left, frozen=worker.frozen),
                lambda case, outcome: _wrong(exercise, case, outcome),
                # Not from the seed, which others may know: no input of a round can be foreseen, and
                # its result computed before.
                random.SystemRandom(),
                most_seconds=left(MOST_SECONDS),
            )
        )
    if isinstance(found, str):
        text = _joined(item.text, found)
        parts = {**item.parts, "speed": 0.0}
        return replace(item, parts=parts, text=text, status="partly right")
    earned = points_for(speed, found.value)
    full = earned == speed.points
    text = item.text if full and found.decided else _joined(item.text, _said(speed, found))
    status = "right" if full or "speed" in exercise.bonus else "partly right"
    return replace(item, parts={**item.parts, "speed": earned}, status=status, text=text)


def _said(speed: Speed, found: Ratio) -> str:
    text = (
        f"Time: {format_ratio(found.value)} of the reference's "
        f"(95 % interval {format_ratio(found.low)} to {format_ratio(found.high)}, "
        f"{found.rounds} rounds); full points up to {format_ratio(speed.full)}, none from "
        f"{format_ratio(speed.none)}."
    )
    if found.hidden:
        text += " It also worked before or after the time of its calls; that is counted."
    if not found.decided:
        best, worst = points_for(speed, found.low), points_for(speed, found.high)
        text += (
            f" The machine was too noisy to tell between {points(worst)} and {points(best)} "
            "points; the median counts. Grade again on a quiet machine."
        )
    return text


def _joined(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


def _wrong(exercise: Exercise, case: Case, outcome: object) -> str:
    found: Outcome = outcome_of(outcome)
    verdict = judge(exercise, [case], [found])
    return "" if not verdict.failures else verdict.text


class _Measured:
    """A side that is a worker."""

    def __init__(
        self,
        worker: WorkerClient,
        exercise: Exercise,
        left: Callable[[float], float],
        frozen: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
    ) -> None:
        self._worker = worker
        self._exercise = exercise
        self._left = left
        self._frozen = frozen

    def sample(self, data: Sequence[object]) -> Sample | NoAnswer:
        """Send the inputs, give the sign, and wait for the results."""
        question = {
            "do": "time",
            "cases": list(data),
            "harness": harness_source(self._exercise.arguments, self._exercise.observe),
        }
        seconds = self._exercise.seconds * len(data)
        with self._frozen():
            began = time.perf_counter()
            number = self._worker.send(question)
            ready = self._worker.receive(number, self._left(seconds))
            if isinstance(ready, NoAnswer):
                return ready
            went = time.perf_counter()
            self._worker.send({"do": "go"})
            done = self._worker.receive(number, self._left(seconds))
            if isinstance(done, NoAnswer):
                return done
            back = time.perf_counter()
            answer = self._worker.receive(number, self._left(seconds))
            ended = time.perf_counter()
        if isinstance(answer, NoAnswer):
            return answer
        outcomes = answer.get("outcomes")
        if type(outcomes) is not list:
            return NoAnswer("garbled", "What came back was no list of outcomes.")
        return Sample(ended - began, back - went, outcomes)
