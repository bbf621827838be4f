"""Wrong answers that students give, each a program: a failing function is known by its like.

A mistake is a file ``mistakes/EXERCISE/NAME.py`` in the lab's room; its docstring is the diagnosis.
One that parts from another in a line or two says from which (``LIKE``) and where (``CHANGES``). It
is run on the cases that went wrong, in a process of its own, since some never end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
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
from hpml.base.errors import describe
from hpml.course.errors import LabError
from hpml.course.exercises.exercise import Case, Exercise
from hpml.course.exercises.outcomes import NoAnswer, Outcome, outcome_of
from hpml.course.exercises.same import alike
from hpml.sandbox.harness import harness_source
from hpml.sandbox.plain import Opaque, encode

_START = 60.0


@dataclass(frozen=True)
class Mistake:
    """A mistake that students really make.

    Attributes:
        key: its name, that of its file: ``"reversed_edges"``.
        diagnosis: what to tell the student; says what went wrong, not the solution.
        source: a program that makes it.
    """

    key: str
    diagnosis: str
    source: str


Run = Callable[[Mistake, Case, float], Outcome]
"""Runs a mistake on a case, for at most so many seconds."""


def mistakes_of(exercise: Exercise) -> tuple[Mistake, ...]:
    """Return the known mistakes of an exercise, by name."""
    if exercise.mistakes is None:
        return ()
    return tuple(map(_read, sorted(exercise.mistakes.glob("*.py"))))


def _read(path: Path) -> Mistake:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    diagnosis = " ".join((ast.get_docstring(tree) or "").split())
    given = {
        ast.unparse(each.targets[0]): each for each in tree.body if isinstance(each, ast.Assign)
    }
    if "LIKE" in given:
        like, changes = (ast.literal_eval(given[name].value) for name in ("LIKE", "CHANGES"))
        text = path.with_name(f"{like}.py").read_text(encoding="utf-8")
        docstring = ast.parse(text).body[0].end_lineno
        source = "".join(text.splitlines(keepends=True)[docstring:])
        for before, after in changes.items():
            if source.count(before) != 1:
                raise LabError(
                    f"{path.stem} changes {describe(before)}, expected to stand once in {like}.py, "
                    f"found {source.count(before)} times."
                )
            source = source.replace(before, after)
    return Mistake(path.stem, diagnosis, source)


def find_mistake(
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    failures: Sequence[int],
    is_right: Callable[[Case, Outcome], bool],
    run: Run | None = None,
) -> Mistake | None:
    """Return the known mistake that shows the same as the outcomes on the cases that failed.

    If none does on all of them, as with two mistakes at once, one that does on those of the part
    in which the first one failed. Of several, the one that goes wrong the least on the other cases.
    """
    known = mistakes_of(exercise) if failures else ()
    if not known:
        return None
    if run is None:
        with MistakeProcess() as process:
            run = partial(process.run, exercise)
            return find_mistake(exercise, cases, outcomes, failures, is_right, run)
    part = cases[failures[0]].part
    # The part's cases first, so that one pass answers both questions.
    ordered = sorted(failures, key=lambda place: cases[place].part != part)
    in_part = sum(cases[place].part == part for place in failures)
    symptoms: dict[int, object] = {}
    agreeing: list[tuple[int, Mistake]] = []
    for mistake in known:
        shown = 0
        for place in ordered:
            if place not in symptoms:
                symptoms[place] = _symptom(exercise, cases[place], outcomes[place])
            answered = not isinstance(outcomes[place], NoAnswer)
            seconds = min(exercise.seconds, exercise.patience) if answered else exercise.seconds
            theirs = run(mistake, cases[place], seconds)
            if not alike(symptoms[place], _symptom(exercise, cases[place], theirs)):
                break
            shown += 1
        if shown >= in_part:
            agreeing.append((shown == len(ordered), mistake))
    on_all = any(whole for whole, _ in agreeing)
    best = [mistake for whole, mistake in agreeing if whole == on_all]
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


class MistakeProcess:
    """A process in which mistakes run, a new one after each that never ends."""

    def __init__(self) -> None:
        self._child: ChildProcess | None = None
        self._loaded = ""
        self._harness: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, exercise: Exercise, mistake: Mistake, case: Case, seconds: float) -> Outcome:
        """Return what comes of a case, within so many seconds."""
        try:
            file = f"mistakes.{exercise.lab}.{exercise.name}.{mistake.key}"
            if self._loaded != file:
                source = {"file": file, "source": mistake.source, "name": exercise.name}
                self._ask({"do": "load", "reference": source}, _START)
                self._harness = harness_source(exercise.arguments, exercise.observe)
                self._loaded = file
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
            command = python_module("hpml.sandbox")
            self._child = ChildProcess(command, environment=with_package())
        self._child.send({"id": 0, **question})
        answer: dict[str, Any] = self._child.receive(seconds)
        return answer

    def close(self) -> None:
        """End the process; the next run starts another."""
        if self._child is not None:
            self._child.close()
        self._child, self._loaded = None, ""
