"""Try a function on the visible cases of its exercise, and render the verdict."""

from __future__ import annotations

import contextlib
import html
import io
import random
import textwrap
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hpml.base.page import Page, frame, notebook_shell, put, sentence
from hpml.base.style import FAIL, MUTED, PASS
from hpml.base.tables import format_seconds
from hpml.course.lesson.exercises.allowed_packages import not_there, own_files
from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.judging import Counterexample, Verdict, diagnosed, judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.course.lesson.exercises.sources import (
    forbidden_uses,
    held_uses,
    not_in_cells,
    program_as_graded,
    program_of,
)
from hpml.course.sandbox.calling import call
from hpml.course.sandbox.deadline import deadline

_AT_LEAST = 10.0  # seconds allowed for a case, or more if grading allows more
_PRINTED = 2000  # characters of a function's output that are shown


class _TooSlowError(KeyboardInterrupt):
    """A case took too long; a KeyboardInterrupt, so that the student's code does not catch it."""


class _Beginning(io.StringIO):
    """Keep only the first characters printed, so that an endless loop does not fill the memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _PRINTED + 1 - self.tell())])
        return len(text)


@dataclass
class _Tried:
    """The state of an exercise in this kernel."""

    failures: int = 0  # from the second on, a hint is offered
    shown: Counterexample | None = None  # the last failure: hints are about its part
    right: bool = False  # whether the last check passed: then hints are about speed, if there are
    hints: dict[str, int] = field(default_factory=dict)  # the number of hints requested, by part


_tried: dict[tuple[str, str], _Tried] = defaultdict(_Tried)


@dataclass(frozen=True)
class Checked:
    """The result of a check, which has already been displayed."""

    verdict: Verdict | None  # None if there is no such exercise
    page: Page
    _cell: object = None

    @property
    def right(self) -> bool:
        """Whether every case passed and nothing forbidden is used."""
        return self.verdict is not None and self.verdict.right

    @property
    def text(self) -> str:
        """What was shown, as plain text."""
        return self.page.plain

    def __repr__(self) -> str:
        return self.page.plain

    def _ipython_display_(self) -> None:
        # `check(...)` has displayed it; as the last line of its cell it must not appear twice.
        if _cell() is None or _cell() != self._cell:
            put(self.page, uuid.uuid4().hex)


def check_exercise(exercise: Exercise, function: Callable[..., Any]) -> Checked:
    """Try `function` on the visible cases of `exercise`, without displaying the result."""
    program, stub = (
        program_as_graded(function, exercise.name),
        program_of(function).is_stub(exercise.name),
    )
    forbidden = forbidden_uses(program, exercise) or held_uses(function, exercise)
    without = not_there(program, exercise.packages)
    cases = visible_cases(exercise)
    outcomes: list[Outcome] = []
    slowest = 0.0
    if not (stub or forbidden or without):
        printed = _Beginning()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            outcomes, slowest = _until_stopped(exercise, function, cases)
        if text := printed.getvalue():
            print(text if len(text) <= _PRINTED else f"{text[:_PRINTED]}\n… the rest is left out.")
    tried = cases[: len(outcomes)] or cases
    verdict = judge(exercise, tried, outcomes, stub=stub, forbidden=forbidden, without=without)
    with contextlib.suppress(KeyboardInterrupt):  # an interrupt only skips the diagnosis
        verdict = diagnosed(verdict, exercise, tried, outcomes)
    notes = [verdict.note] if verdict.note else []
    if left := len(cases) - len(tried):
        notes.append(
            f"It was stopped there: {left} more case{'s were' if left > 1 else ' was'} not tried."
        )
    if verdict.right and (own := own_files(program)):
        notes.append(
            f"It imports {', '.join(own)} from your own files. Only the notebook is graded: write "
            "such a file with %%writefile, or move its code into a cell."
        )
    if verdict.right and (unknown := not_in_cells(exercise.name)):
        notes.append(
            f"No cell defines {', '.join(unknown)}, which it uses. Only the notebook is graded: "
            "put what you defined elsewhere, such as in a file for %run, into a cell."
        )
    if verdict.right and slowest > exercise.seconds:
        notes.append(
            f"One case took {format_seconds(slowest)}, and grading waits {exercise.seconds:g} s."
        )
    verdict = replace(verdict, note=" ".join(notes))
    offer, state = "", _tried[exercise.lab, exercise.name]
    if not verdict.not_done:
        state.shown, state.right = verdict.counterexample, verdict.right
        state.failures = 0 if verdict.right else state.failures + 1
        if verdict.right and "speed" in exercise.hints:
            offer = f"A hint on speed: from hpml.course import hint; hint({exercise.name})"
        elif state.failures > 1 and exercise.hints:
            offer = f"A hint: from hpml.course import hint; hint({exercise.name})"
    return Checked(verdict, _page(verdict, exercise, offer), _cell())


def next_hint(exercise: Exercise) -> Page:
    """Return one more hint on the part that failed last, together with the earlier ones.

    After a right answer they are about its speed, if the exercise has hints on that.
    """
    state = _tried[exercise.lab, exercise.name]
    part = state.shown.part if state.shown else "speed" if state.right else ""
    hints = list(exercise.hints.get(part) or next(iter(exercise.hints.values())))
    state.hints[part] = count = min(state.hints.get(part, 0) + 1, len(hints))
    titles = [f"Hint {number} of {len(hints)}" for number in range(1, count + 1)]
    titled = list(zip(titles, hints, strict=False))
    plain = [textwrap.fill(f"{title}: {hint}".replace("`", ""), 92) for title, hint in titled]
    parts = [f"<p><b>{title}</b></p>{sentence(hint)}" for title, hint in titled]
    return Page("\n".join(plain), frame(_label("Hint", exercise), "".join(parts), MUTED))


def not_found(text: str) -> Checked:
    """Return the result of a check that found no exercise."""
    paragraphs = "".join(f"<p>{html.escape(line)}</p>" for line in f"? {text}".split("\n"))
    return Checked(None, Page(f"? {text}", frame("Check", paragraphs, MUTED)), _cell())


def run(
    exercise: Exercise, function: Callable[..., Any], cases: Sequence[Case]
) -> tuple[Outcome, ...]:
    """Return the outcome of each case, called in this process."""
    return tuple(_outcome(exercise, function, case) for case in cases)


def visible_cases(exercise: Exercise) -> Sequence[Case]:
    """Return the cases that a notebook tries; they are always the same."""
    return exercise.cases(random.Random(f"{exercise.lab}.{exercise.name}"), False)


def _until_stopped(
    exercise: Exercise, function: Callable[..., Any], cases: Sequence[Case]
) -> tuple[list[Outcome], float]:
    """Return the outcomes, up to a case that was too slow or interrupted, and the longest time."""
    outcomes: list[Outcome] = []
    slowest = 0.0
    seconds = max(_AT_LEAST, exercise.seconds)
    why = "Does a loop never end, or is the same work done again and again?"
    try:
        for case in cases:
            began = time.perf_counter()
            with deadline(seconds, _TooSlowError()):
                outcome = _outcome(exercise, function, case)
            slowest = max(slowest, time.perf_counter() - began)
            outcomes.append(outcome)
    except _TooSlowError:
        outcomes.append(NoAnswer("too slow", f"It took more than {seconds:g} seconds. {why}"))
    except KeyboardInterrupt:
        outcomes.append(NoAnswer("too slow", f"You stopped it. {why}"))
    return outcomes[: len(cases)], slowest


def _outcome(exercise: Exercise, function: Callable[..., Any], case: Case) -> Outcome:
    given, observe = exercise.arguments, exercise.observe
    return outcome_of(call(function, given, observe, case.data, interruptible=True))


def _page(verdict: Verdict, exercise: Exercise, offer: str) -> Page:
    lines = []
    if verdict.not_done:
        sign, colour = "…", MUTED
        lines.append("Write its body, run its cell, and check again.")
    elif verdict.right:
        sign, colour = "✓", PASS
        if exercise.speed is not None:
            lines.append("Speed is measured during grading.")
    else:
        sign, colour = "✗", FAIL
    headline = f"{sign} {verdict.headline}"
    lines += [*verdict.remarks, *filter(None, [offer])]
    parts = [f"<p><b>{html.escape(headline)}</b></p>"]
    plain = [headline]
    if verdict.counterexample is not None:
        rows = verdict.counterexample.rows
        parts.append(_table(rows))
        plain += [f"  {title:<9} {text}" for title, text in rows]
    parts += [sentence(line) for line in lines]
    plain += [textwrap.fill(line.replace("`", ""), 92) for line in lines]
    return Page("\n".join(plain), frame(_label("Check", exercise), "".join(parts), colour))


def _label(what: str, exercise: Exercise) -> str:
    part = "core" if exercise.core else "going further, for bonus points"
    return f"{what} · exercise {exercise.lab}.{exercise.number} · {part}"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    code = '<code style="white-space: pre-wrap; overflow-wrap: anywhere;">'
    body = "".join(
        f'<tr><th scope="row" style="text-align: left; vertical-align: top;">{title}</th>'
        f'<td style="text-align: left;">{start}{html.escape(text)}{end}</td></tr>'
        for title, text in rows
        for start, end in [("", "") if title in ("case", "why") else (code, "</code>")]
    )
    return f"<table>{body}</table>"


def _cell() -> object:
    return getattr(notebook_shell(), "execution_count", None)
