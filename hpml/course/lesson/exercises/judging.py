"""Turn outcomes into a verdict: the parts that are earned, and the smallest failing case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from hpml.course.lesson.exercises.exercise import Case, Exercise, Wrong
from hpml.course.lesson.exercises.outcomes import NOT_TRIED, NoAnswer, Outcome, Raised, Returned
from hpml.course.lesson.exercises.same import shown, written
from hpml.course.lesson.exercises.wrong_answers import Run, WrongAnswer, find_wrong_answer
from hpml.course.sandbox.plain import Array


@dataclass(frozen=True)
class Counterexample:
    """A failing case."""

    case: str
    part: str  # the part of the exercise that it belongs to
    call: str
    expected: str
    received: str
    why: str = ""  # a sentence, or empty if expected and received are enough
    line: str = ""  # the student's line that raised, if any

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The lines to show, each with its title."""
        rows = [
            ("case", self.case),
            ("call", self.call),
            ("expected", self.expected),
            ("received", self.received),
            ("raised in", self.line),
            ("why", self.why.replace("`", "")),
        ]
        return [(title, text) for title, text in rows if text]


@dataclass(frozen=True)
class Verdict:
    """The verdict on an exercise."""

    name: str
    cases: int
    right: bool  # all cases passed and nothing forbidden was used
    not_done: bool  # the function is still the stub
    parts: Mapping[str, float]
    failures: tuple[int, ...] = ()  # indices of the failing cases, by part, then smallest first
    counterexample: Counterexample | None = None  # the first failure
    diagnosis: WrongAnswer | None = None  # the known wrong answer with the same symptoms
    forbidden: tuple[str, ...] = ()
    forbidden_why: str = ""  # why it is forbidden
    note: str = ""  # a remark on a result that was accepted

    @property
    def points(self) -> float:
        """The points earned, without the part for speed."""
        return sum(self.parts.values())

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        if self.not_done:
            return f"{self.name}: not done yet."
        if self.forbidden:
            return f"{self.name}: it uses something that this exercise forbids."
        if self.right:
            many = "the one case passes" if self.cases == 1 else f"all {self.cases} cases pass"
            return f"{self.name}: right, {many}."
        return f"{self.name}: not right yet, {len(self.failures)} of {self.cases} cases fail."

    @property
    def remarks(self) -> list[str]:
        """The lines below the failing case; code is in backticks."""
        diagnosis = "" if self.diagnosis is None else self.diagnosis.diagnosis
        uses = [f"`{use}`" for use in self.forbidden]
        return [*uses, *filter(None, (self.forbidden_why, diagnosis, self.note))]

    @property
    def text(self) -> str:
        """The verdict as plain text."""
        rows = self.counterexample.rows if self.counterexample is not None else []
        lines = [f"  {title:<9} {text}" for title, text in rows]
        return "\n".join([self.headline, *lines, *self.remarks])


def judge(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    *,
    stub: bool = False,
    forbidden: Sequence[str] = (),
    without: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on an exercise; `without` names packages that grading does not have."""
    nothing = MappingProxyType(dict.fromkeys(exercise.parts, 0.0))
    if stub or forbidden or without:
        packages = (f"{name}: graded without {name}" for name in without)
        uses = () if stub else (*forbidden, *packages)
        why = "" if stub or not forbidden else exercise.forbids.why
        return Verdict(
            exercise.name, len(cases), False, stub, nothing, forbidden=uses, forbidden_why=why
        )
    outcomes, note = _with_python_numbers(outcomes)
    failures = [
        (place, wrong)
        for place, (case, outcome) in enumerate(zip(cases, outcomes, strict=True))
        if (wrong := why_wrong(exercise, case, outcome)) is not None
    ]
    passed = set(range(len(outcomes))) - {place for place, _ in failures}
    if not any(_nothing(outcomes[place]) for place in passed):  # None is never the right answer
        why = "It returns None: is a `return` missing?"
        failures = [
            (place, replace(wrong, why=why) if _nothing(outcomes[place]) else wrong)
            for place, wrong in failures
        ]
    parts = list(exercise.worth)

    def rank(failure: tuple[int, Wrong]) -> tuple[bool, int, int]:
        case = cases[failure[0]]
        tried_last = outcomes[failure[0]] is NOT_TRIED
        return tried_last, parts.index(case.part), len(repr(case.data))

    failures.sort(key=rank)
    lost = {cases[place].part for place, _ in failures}
    tried = {case.part for case in cases}
    earned = {
        part: float(points) if part in tried - lost else 0.0
        for part, points in exercise.parts.items()
    }
    return Verdict(
        exercise.name,
        len(cases),
        right=not failures and bool(cases),
        not_done=False,
        parts=MappingProxyType(earned),
        failures=tuple(place for place, _ in failures),
        counterexample=_first(exercise, cases, outcomes, failures),
        note="" if failures else note,
    )


def _with_python_numbers(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], str]:
    """Return the outcomes with NumPy scalars replaced by Python numbers, and a note about it."""
    note = ""

    def plain(value: Any) -> Any:
        nonlocal note
        if type(value) in (list, tuple):
            return type(value)(map(plain, value))
        if type(value) is dict:
            return {name: plain(part) for name, part in value.items()}
        number = value.number() if isinstance(value, Array) else None
        if number is None:
            return value
        kind = type(number).__name__
        note = note or (
            f"It returns {value.library}'s {value.dtype}; {kind}(...) makes it Python's {kind}."
        )
        return number

    found = [
        replace(outcome, value=plain(outcome.value)) if isinstance(outcome, Returned) else outcome
        for outcome in outcomes
    ]
    return found, note


def diagnosed(
    verdict: Verdict,
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    run: Run | None = None,
) -> Verdict:
    """Return the verdict with the known wrong answer that has the same symptoms, if any."""

    def is_right(case: Case, outcome: Outcome) -> bool:
        return why_wrong(exercise, case, outcome) is None

    found = find_wrong_answer(exercise, cases, outcomes, verdict.failures, is_right, run)
    return replace(verdict, diagnosis=found)


def written_call(exercise: Exercise, case: Case) -> str:
    """Return the call of a case as Python source, truncated if it is long."""
    if case.call:
        return case.call
    if len(case.data) == 1:
        (value,) = case.data.values()
        return f"{exercise.name}({written(value, 600)})"
    arguments = ", ".join(f"{name}={written(value, 400)}" for name, value in case.data.items())
    return f"{exercise.name}({arguments})"


def why_wrong(exercise: Exercise, case: Case, outcome: Outcome) -> Wrong | None:
    """Return why an outcome is wrong, or None if it is right."""
    if isinstance(outcome, NoAnswer):
        return Wrong("an answer", shown(outcome), outcome.text)
    if isinstance(outcome, Returned) and outcome.changed and exercise.keeps_arguments:
        name, became = next(iter(outcome.changed.items()))
        return Wrong(
            # No backticks: these two are already shown as code.
            f"{name} as it was: {written(case.data.get(name, 'unchanged'), 120)}",
            f"{name} is now {written(became, 120)}",
            f"It changed its argument `{name}`: the caller still needs it; work on a copy.",
        )
    try:
        found = exercise.judge(case, outcome)
    except Exception as error:  # noqa: BLE001 - a result that makes the judge fail is wrong
        return Wrong("a result that can be judged", shown(outcome), f"Judging it failed: {error!r}")
    return found


def _nothing(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and outcome.value is None


def _first(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    failures: Sequence[tuple[int, Wrong]],
) -> Counterexample | None:
    if not failures:
        return None
    place, wrong = failures[0]
    case, outcome = cases[place], outcomes[place]
    line = outcome.line if isinstance(outcome, Raised) else ""
    call = written_call(exercise, case)
    return Counterexample(
        case.name, case.part, call, wrong.expected, wrong.received, wrong.why, line
    )
