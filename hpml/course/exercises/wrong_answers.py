"""Known wrong answers: a failing function is matched to one that fails in the same way.

The wrong answers to an exercise are the public functions of ``wrong_answers/EXERCISE.py`` in the
lab's folder; their docstrings are the diagnoses. They run on the cases that failed, in a process
of their own, since some never end. One change away from a wrong answer is a right one, so the
students' copy has these files packed, as ``EXERCISE.packed``.
"""

from __future__ import annotations

import ast
import zlib
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
from hpml.course.exercises.exercise import Case, Exercise
from hpml.course.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.course.exercises.same import alike
from hpml.sandbox.harness import harness_source
from hpml.sandbox.plain import Opaque, encode

PACKED = ".packed"
_START = 60.0


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that students give."""

    key: str  # the name of its function: "reversed_edges"
    diagnosis: str  # what to tell the student: what is wrong, not the solution
    source: str  # a program that defines it under this name, beside other wrong answers

    def program(self, name: str) -> str:
        """Return a program in which the wrong answer is called `name`, as a student's is."""
        return f"{self.source}\n\n{name} = {self.key}\n"


Run = Callable[[WrongAnswer, Case, float], Outcome]
"""Runs a wrong answer on a case, for at most so many seconds."""


def wrong_answers(exercise: Exercise) -> tuple[WrongAnswer, ...]:
    """Return the known wrong answers to an exercise, by name."""
    return () if exercise.wrong_answers is None else _read(exercise.wrong_answers)


def read_packed(path: Path) -> str:
    """Return the text of a file, or of its packed form; empty where there is neither."""
    packed = path.with_suffix(PACKED)
    if packed.is_file():
        return zlib.decompress(packed.read_bytes()).decode("utf-8")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


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
    # The part's cases first, so that one pass answers both questions.
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
            theirs = run(wrong, cases[place], seconds)
            # A case that the wrong answer passes cannot support its diagnosis.
            if is_right(cases[place], theirs) or not alike(
                symptoms[place], _symptom(exercise, cases[place], theirs)
            ):
                break
            shown += 1
        if shown >= in_part:
            agreeing.append((shown == len(ordered), wrong))
    on_all = any(everywhere for everywhere, _ in agreeing)
    best = [wrong for everywhere, wrong in agreeing if everywhere == on_all]
    if len(best) < 2:
        return best[0] if best else None
    # The one that goes wrong least where nothing has been compared.
    others = [c for n, c in enumerate(cases) if n not in failures or c.part != part]
    return max(
        best, key=lambda each: sum(is_right(c, run(each, c, exercise.patience)) for c in others)
    )


def _symptom(exercise: Exercise, case: Case, outcome: Outcome) -> object:
    try:
        return exercise.symptom(case, outcome)
    except Exception:  # noqa: BLE001 - a result of the wrong kind shows nothing, and is like nothing
        return Opaque("", "")


class WrongAnswerProcess:
    """A process in which wrong answers run, a new one after each that never ends."""

    def __init__(self) -> None:
        self._child: ChildProcess | None = None
        self._loaded = ("", "")
        self._harness: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, exercise: Exercise, wrong: WrongAnswer, case: Case, seconds: float) -> Outcome:
        """Return what comes of a case, within so many seconds."""
        try:
            file = f"wrong_answers.{exercise.lab}.{exercise.name}"
            if self._loaded != (file, wrong.key):
                source = {"file": file, "source": wrong.source, "name": wrong.key}
                self._ask({"do": "load", "reference": source}, _START)
                self._harness = harness_source(exercise.arguments, exercise.observe)
                self._loaded = (file, wrong.key)
            data = encode(dict(case.data))
            answer = self._ask({"do": "call", "data": data, "harness": self._harness}, seconds)
        except ChildTimeoutError:
            self.close()
            return NoAnswer("too slow", "")
        except ChildEndedError:
            self.close()
            return NoAnswer("ended", "")
        except ChildError:
            self.close()
            return NoAnswer("garbled", "")
        return outcome_of(answer.get("outcome"))

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._child is None:
            command = python_module("hpml.sandbox.serve")
            self._child = ChildProcess(command, environment=with_package())
        self._child.send({"id": 0, **question})
        answer: dict[str, Any] = self._child.receive(seconds)
        return answer

    def close(self) -> None:
        """End the process; the next run starts another."""
        if self._child is not None:
            self._child.close()
        self._child, self._loaded = None, ("", "")
