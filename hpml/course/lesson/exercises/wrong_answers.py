"""Match a failing function to a known wrong answer by its symptoms.

The wrong answers are the public functions of ``wrong_answers/EXERCISE.py``; their docstrings are
the diagnoses. They run in a separate process, because some never end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Self

from hpml.base.child_process import (
    ChildEndedError,
    ChildError,
    ChildProcess,
    ChildTimeoutError,
    python_module,
    with_package,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.course.lesson.exercises.same import alike
from hpml.course.lesson.texts import read_packed
from hpml.course.sandbox.harness import harness_source
from hpml.course.sandbox.plain import Opaque, encode

_START = 60.0


@dataclass(frozen=True)
class WrongAnswer:
    """A known wrong answer to an exercise."""

    key: str  # the name of its function: "reversed_edges"
    diagnosis: str  # tells the student what is wrong, but not the solution
    source: str  # the file that defines it, together with other wrong answers

    def program(self, name: str) -> str:
        """Return a program that defines the wrong answer under the exercise's `name`."""
        return f"{self.source}\n\n{name} = {self.key}\n"


Run = Callable[[WrongAnswer, Case, float], Outcome]
"""Runs a wrong answer on a case, within a limit in seconds."""


def wrong_answers(exercise: Exercise) -> tuple[WrongAnswer, ...]:
    """Return the known wrong answers to an exercise."""
    return () if exercise.wrong_answers is None else _read(exercise.wrong_answers)


@cache
def _read(path: Path) -> tuple[WrongAnswer, ...]:
    source = read_packed(path)
    return tuple(
        WrongAnswer(node.name, " ".join((ast.get_docstring(node) or "").split()), source)
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    )


def find_wrong_answer(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    failures: Sequence[int],
    is_right: Callable[[Case, Outcome], bool],
    run: Run | None = None,
) -> WrongAnswer | None:
    """Return the known wrong answer with the same symptoms on the cases that failed."""
    known = wrong_answers(exercise) if failures else ()
    if not known:
        return None
    if run is None:
        with WrongAnswerProcess() as process:
            run = partial(process.run, exercise)
            return find_wrong_answer(exercise, cases, outcomes, failures, is_right, run)
    part = cases[failures[0]].part
    # The part's cases come first: a loop that gets past them agrees on the part.
    ordered = sorted(failures, key=lambda place: cases[place].part != part)
    in_part = sum(cases[place].part == part for place in failures)
    symptoms: dict[int, object] = {}
    agreeing: list[tuple[int, WrongAnswer]] = []
    for wrong in known:
        shown = 0
        for place in ordered:
            if place not in symptoms:
                symptoms[place] = _symptom(exercise, cases[place], outcomes[place])
            answered = not isinstance(outcomes[place], NoAnswer)
            seconds = min(exercise.seconds, exercise.patience) if answered else exercise.seconds
            outcome = run(wrong, cases[place], seconds)
            # A case that the wrong answer passes cannot support its diagnosis.
            if is_right(cases[place], outcome) or not alike(
                symptoms[place], _symptom(exercise, cases[place], outcome)
            ):
                break
            shown += 1
        if shown >= in_part:
            agreeing.append((shown == len(ordered), wrong))
    on_all = any(everywhere for everywhere, _ in agreeing)
    best = [wrong for everywhere, wrong in agreeing if everywhere == on_all]
    passed = [case for place, case in enumerate(cases) if place not in failures]
    fits = (w for w in best if all(is_right(c, run(w, c, exercise.patience)) for c in passed))
    return next(fits, None)


def _symptom(exercise: Exercise, case: Case, outcome: Outcome) -> object:
    try:
        return exercise.symptom(case, outcome)
    except Exception:  # noqa: BLE001 - a result of the wrong kind has no symptom
        return Opaque("", "")  # equal to nothing, itself included


class WrongAnswerProcess:
    """A process that runs wrong answers; a timeout ends it, and the next run starts a new one."""

    def __init__(self) -> None:
        self._child: ChildProcess | None = None
        self._loaded = ("", "")
        self._harness: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, exercise: Exercise, wrong: WrongAnswer, case: Case, seconds: float) -> Outcome:
        """Return the outcome of a case within `seconds`."""
        try:
            file = f"wrong_answers.{exercise.lab}.{exercise.name}"
            if self._loaded != (file, wrong.key):
                source = {"file": file, "source": wrong.source, "name": wrong.key, "needs": {}}
                self._ask({"do": "load", "reference": source}, _START)
                self._harness = harness_source(exercise.arguments, exercise.observe)
                self._loaded = (file, wrong.key)
            data = encode(dict(case.data))
            answer = self._ask({"do": "call", "data": data, "harness": self._harness}, seconds)
        except ChildError as error:
            self.close()
            reasons = {ChildTimeoutError: "too slow", ChildEndedError: "ended"}
            return NoAnswer(reasons.get(type(error), "garbled"), "")
        return outcome_of(answer.get("outcome"))

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._child is None:
            command = python_module("hpml.course.sandbox.serve")
            self._child = ChildProcess(command, environment=with_package())
        self._child.send({"id": 0, **question})
        answer: dict[str, Any] = self._child.receive(seconds)
        return answer

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.close()
        self._child, self._loaded = None, ("", "")
