"""From outcomes to a verdict: which parts are earned, and the first case that went wrong.

A pure function of plain values: it runs where no submission can reach it, in the notebook's check
and in grading alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from hpml.course.exercises.exercise import Case, Exercise, Misconception, Wrong
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, Returned
from hpml.course.exercises.same import shown, written

__all__ = ["Counterexample", "Verdict", "judge", "written_call"]


@dataclass(frozen=True)
class Counterexample:
    """The first case that went wrong.

    Attributes:
        case: its name.
        call: the call as one would type it.
        expected: as text.
        got: as text.
        why: a sentence, or empty where the two say it all.
        line: the student's line that raised, if one did.
    """

    case: str
    call: str
    expected: str
    got: str
    why: str = ""
    line: str = ""


@dataclass(frozen=True)
class Verdict:
    """What the outcomes of an exercise's cases come to.

    Attributes:
        name: the function.
        cases: how many were tried.
        right: whether all of them were right and nothing forbidden was used.
        not_done: whether the function is still the stub.
        parts: for each part of the exercise the points earned.
        failed: how many cases were wrong.
        counterexample: the first of them.
        diagnosis: the first known mistake that explains every one of them; if none does, as with
            two mistakes at once, the first that explains all failed cases of the same part as the
            counterexample's.
        forbidden: what the solution uses and must not, as text.
        forbidden_why: why it must not.
    """

    name: str
    cases: int
    right: bool
    not_done: bool
    parts: Mapping[str, float]
    failed: int = 0
    counterexample: Counterexample | None = None
    diagnosis: Misconception | None = None
    forbidden: tuple[str, ...] = ()
    forbidden_why: str = ""

    @property
    def points(self) -> float:
        """What is earned, without the part for speed."""
        return sum(self.parts.values())

    @property
    def headline(self) -> str:
        """The verdict in one sentence."""
        if self.not_done:
            return f"{self.name}: not done yet."
        if self.forbidden:
            return f"{self.name}: it uses what this exercise forbids."
        if self.right:
            many = "the one case passes" if self.cases == 1 else f"all {self.cases} cases pass"
            return f"{self.name}: right, {many}."
        return f"{self.name}: not right yet, {self.failed} of {self.cases} cases fail."

    @property
    def text(self) -> str:
        """The whole verdict as plain text."""
        lines = [self.headline]
        lines += [f"  {use}" for use in self.forbidden]
        if self.forbidden and self.forbidden_why:
            lines.append(self.forbidden_why)
        found = self.counterexample
        if found is not None:
            rows = [("case", found.case), ("call", found.call)]
            rows += [("expected", found.expected), ("got", found.got), ("raised in", found.line)]
            lines += [f"  {title:<9} {value}" for title, value in rows if value]
            lines += [found.why] if found.why else []
        if self.diagnosis is not None:
            lines.append(self.diagnosis.diagnosis)
        return "\n".join(lines)


def judge(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    *,
    stub: bool = False,
    forbidden: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on an exercise.

    Args:
        exercise: what was to be done.
        cases: what was tried.
        outcomes: what came of it, one for each case; looked at neither for a stub nor where
            something forbidden is used.
        stub: whether the function still has the body it came with.
        forbidden: what the solution uses and must not, one line each.
    """
    nothing = MappingProxyType(dict.fromkeys(exercise.parts, 0.0))
    if stub or forbidden:
        why = exercise.forbids.why if not stub else ""
        uses = () if stub else tuple(forbidden)
        return Verdict(
            exercise.name, len(cases), False, stub, nothing, forbidden=uses, forbidden_why=why
        )
    failures = [
        (case, outcome, wrong)
        for case, outcome in zip(cases, outcomes, strict=True)
        if (wrong := _wrong(exercise, case, outcome)) is not None
    ]
    lost = {case.part for case, _, _ in failures}
    tried = {case.part for case in cases}
    parts = {
        part: float(points) if part in tried - lost else 0.0
        for part, points in exercise.parts.items()
    }
    return Verdict(
        exercise.name,
        len(cases),
        right=not failures and bool(cases),
        not_done=False,
        parts=MappingProxyType(parts),
        failed=len(failures),
        counterexample=_first(exercise, failures),
        diagnosis=_diagnosis(exercise, failures),
    )


def written_call(exercise: Exercise, case: Case) -> str:
    """Return a case's call as one would type it, cut where it is long."""
    if case.call:
        return case.call
    if len(case.data) == 1:
        (value,) = case.data.values()
        return f"{exercise.name}({written(value, 600)})"
    arguments = ", ".join(f"{name}={written(value, 400)}" for name, value in case.data.items())
    return f"{exercise.name}({arguments})"


def _wrong(exercise: Exercise, case: Case, outcome: Outcome) -> Wrong | None:
    if isinstance(outcome, NoAnswer):
        return Wrong("an answer", shown(outcome), outcome.text)
    if isinstance(outcome, Returned) and outcome.changed and exercise.keeps_arguments:
        name, became = next(iter(outcome.changed.items()))
        return Wrong(
            # No backticks: these two are shown as code already.
            f"{name} as it was: {written(case.data.get(name, 'unchanged'), 120)}",
            f"{name} is now {written(became, 120)}",
            f"It changed its argument `{name}`: the caller still needs it; work on a copy.",
        )
    try:
        found = exercise.judge(case, outcome)
    except Exception as error:  # noqa: BLE001 - a result so odd that the judge fails is not right
        return Wrong("a result that can be judged", shown(outcome), f"Judging it failed: {error!r}")
    if found is not None and isinstance(outcome, Returned) and outcome.value is None:
        return Wrong(found.expected, found.got, "It returns None: is a `return` missing?")
    return found


def _first(
    exercise: Exercise, failures: Sequence[tuple[Case, Outcome, Wrong]]
) -> Counterexample | None:
    if not failures:
        return None
    case, outcome, wrong = failures[0]
    line = outcome.line if isinstance(outcome, Raised) else ""
    call = written_call(exercise, case)
    return Counterexample(case.name, call, wrong.expected, wrong.got, wrong.why, line)


def _diagnosis(
    exercise: Exercise, failures: Sequence[tuple[Case, Outcome, Wrong]]
) -> Misconception | None:
    if not failures:
        return None
    part = failures[0][0].part
    same_part = [failure for failure in failures if failure[0].part == part]
    for to_explain in (failures, same_part):
        for mistake in exercise.misconceptions:
            if all(_fits(mistake, case, outcome) for case, outcome, _ in to_explain):
                return mistake
    return None


def _fits(mistake: Misconception, case: Case, outcome: Outcome) -> bool:
    try:
        return mistake.fits(case, outcome)
    except Exception:  # noqa: BLE001 - a result of the wrong kind does not look like this mistake
        return False
