"""Step 2: a worker for each exercise runs the notebook's cells and calls the function.

The result is plain data, an `Answers`; nothing is judged here.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import random
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hpml.course.grading import sandbox
from hpml.course.grading.find import NothingToJudge, read_bytes
from hpml.course.grading.sandbox import Limits
from hpml.course.grading.worker_client import Printed, WorkerClient
from hpml.course.lesson.cells import (
    NotebookError,
    as_python,
    first_choice,
    python_cells,
    text_cell_with,
)
from hpml.course.lesson.exercises.exercise import Case, Choice, Exercise, Forbidden
from hpml.course.lesson.exercises.outcomes import NOT_TRIED, NoAnswer, Outcome, Raised, outcome_of
from hpml.course.sandbox.deadline import deadline
from hpml.course.sandbox.harness import harness_source
from hpml.course.sandbox.plain import encode

_CELL = re.compile(r"^# ?%%.*$", re.MULTILINE)  # marks the start of a cell in a script
_LIGHT = re.compile(r"^# (\+.*|-)$", re.MULTILINE)  # in Jupytext's light format, start and end
_LARGE = 2**18
_OBJECTS = 200  # most JSON objects per cell: metadata and outputs
STARTS = 3  # most workers per exercise, if cases give no answer


@dataclass(frozen=True)
class Answers:
    """One definition of a function, and the outcomes of calling it."""

    cases: Sequence[Case]
    outcomes: Sequence[Outcome]
    printed: Printed  # output of the submission, may grow
    missing: str = ""  # the problem if the function does not exist after all cells have run
    stub: bool = False
    uses: tuple[str, ...] = ()  # uses of what the exercise forbids
    versions: int = 1  # number of definitions
    broken: str = ""  # cells that this Python cannot parse
    failed: str = ""  # needed cells that raised
    worker: WorkerClient | None = None  # still running, if it called all cases

    @property
    def called(self) -> bool:
        """Whether the function is written and allowed."""
        return not (self.stub or self.uses)


@dataclass(eq=False)
class Submitted:
    """The state that the exercises of one notebook share."""

    path: Path
    seed: int
    limits: Limits
    deadline: float
    isolation: sandbox.Isolation
    choice: Choice
    workers: set[WorkerClient] = field(default_factory=set)
    chosen: list[Any] | None = None  # values of the explanation, read by the first worker

    @cached_property
    def _read(self) -> tuple[dict[int, str], int | None] | NothingToJudge:
        try:
            text = read_text(self.path)
            return _cells_of(text, self.path, self.limits), first_choice(text)
        except NothingToJudge as error:
            return error

    @property
    def cells(self) -> dict[int, str]:
        """The code cells of the notebook as Python source, by number."""
        if isinstance(self._read, NothingToJudge):
            raise self._read
        return self._read[0]

    @property
    def first_choice(self) -> int | None:
        """The first choice of the explanation that the notebook's outputs show, if any."""
        return None if isinstance(self._read, NothingToJudge) else self._read[1]

    def left(self, seconds: float) -> float:
        """Return `seconds`, or the rest of the submission's time if that is less."""
        return min(seconds, self.deadline - time.monotonic())

    @contextlib.contextmanager
    def worker(self, printed: Printed, exercise: Exercise | None = None) -> Iterator[WorkerClient]:
        """Start a worker for a ``with`` block; all its processes end with it."""
        limits = self.limits
        # The worker can read its hash seed, and must not learn the seed of the cases from it.
        seed = int.from_bytes(hashlib.sha256(f"hashes {self.seed}".encode()).digest()[:4])
        with contextlib.ExitStack() as exits:
            packages = () if exercise is None else exercise.packages
            forbidden = () if exercise is None else exercise.forbids.modules
            if self.isolation == "bubblewrap":
                command = sandbox.sandboxed_command(limits, packages=packages, forbidden=forbidden)
                home, folder = sandbox.HOME, None
            else:
                home = exits.enter_context(
                    tempfile.TemporaryDirectory(prefix="hpml-", ignore_cleanup_errors=True)
                )
                folder = Path(home)
                another = self.isolation == "user"
                command = sandbox.plain_command(limits, folder, packages, forbidden, another)
            environment = sandbox.environment(home, hash_seed=seed)
            worker = WorkerClient(command, environment, limits, printed, folder)
            self.workers.add(worker)
            try:
                yield worker
            finally:
                self.workers.discard(worker)
                worker.close()


def read_text(path: Path) -> str:
    """Return the text of a notebook's file."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"The notebook is not UTF-8 text: {error.reason}."
        raise NothingToJudge(f"{why} Save it in Jupyter and submit that file.") from None


def read_cells(path: Path, limits: Limits) -> dict[int, str]:
    """Return the code cells of a notebook as Python source, by number."""
    return _cells_of(read_text(path), path, limits)


def _cells_of(text: str, path: Path, limits: Limits) -> dict[int, str]:
    # Parsing millions of empty cells or lists would fill this process's memory.
    most = _OBJECTS * limits.cells
    if len(text) >= _LARGE and (sum(map(text.count, "{[")) > most or text.count(",") > 20 * most):
        raise NothingToJudge(
            f"The notebook {path.name} has too many cells and outputs; clear its outputs."
        )
    try:
        # IPython parses the whole cell again for each magic command.
        with deadline(limits.start, LateError()):
            if not path.name.lower().endswith(".py"):
                return python_cells(text, limits.cells)
            mark = _CELL if _CELL.search(text) else _LIGHT
            # Without the marks, of which a group would be a part of the list.
            ends = [0, *(place for found in mark.finditer(text) for place in found.span())]
            cells = zip(ends[::2], [*ends[1::2], len(text)], strict=True)
            return {
                number: as_python(text[start:end])
                for number, (start, end) in enumerate(cells, start=1)
            }
    except NotebookError as error:
        raise NothingToJudge(str(error)) from None
    except LateError:
        raise NothingToJudge(
            f"Translating the magic commands of {path.name} takes more than {limits.start:g} "
            "seconds; split its largest cells."
        ) from None


class LateError(BaseException):
    """Reading the notebook took too long."""


def cases_of(exercise: Exercise, seed: int) -> Sequence[Case]:
    """Return the cases for a seed."""
    # A text as seed gives the same numbers on every machine and in every run.
    return exercise.cases(random.Random(f"{seed} {exercise.lab} {exercise.name} cases"), True)


@contextlib.contextmanager
def answers(submitted: Submitted, exercise: Exercise, version: int) -> Iterator[Answers]:
    """Yield the answers of one definition of a function; version 0 is the last."""
    printed = Printed(submitted.limits.printed)
    cases = cases_of(exercise, submitted.seed)
    found = Answers(cases, [NOT_TRIED] * len(cases), printed)
    only = False  # whether to skip cells that the function does not need
    for _ in range(STARTS):
        waiting = _waiting(found)
        if not waiting or submitted.left(1.0) <= 0:
            break
        with submitted.worker(printed, exercise) as worker:
            found = _prepared(submitted, exercise, worker, found, version)
            if not (found.called or found.missing):
                break
            question = {"do": "load", "version": version, "only": only}
            loaded = worker.load(question, submitted.left(submitted.limits.load))
            if found.missing and (isinstance(loaded, NoAnswer) or not loaded.get("found")):
                raise NothingToJudge(found.missing, "missing")
            if not found.called:
                break
            if not isinstance(loaded, NoAnswer):
                found = replace(found, failed=_failed(loaded), uses=_held(loaded))
                if found.uses:
                    break
            elif not only:  # another cell may have ended the worker
                only = True
                continue
            outcomes = list(found.outcomes)
            tried = _outcomes(submitted, exercise, worker, [cases[place] for place in waiting])
            for place, outcome in zip(waiting, tried, strict=True):
                outcomes[place] = outcome
            found = replace(found, outcomes=outcomes)
            if not any(isinstance(outcome, NoAnswer) for outcome in outcomes):
                yield replace(found, worker=worker)
                return
    yield found


def choice_made(submitted: Submitted, choice: Choice) -> list[Any]:
    """Return the encoded values assigned to the explanation."""
    if submitted.chosen is None:  # no exercise has started a worker
        with submitted.worker(Printed(0)) as worker:
            answer = _ask_to_prepare(submitted, worker, choice.name, Forbidden())
        if isinstance(answer, NoAnswer):
            raise NothingToJudge(answer.text, "no answer")
        submitted.chosen = answer["chosen"]
    if not submitted.chosen:
        raise NothingToJudge(f"No cell assigns a plain value to `{choice.name}`.", "missing")
    return submitted.chosen


def _waiting(found: Answers) -> list[int]:
    """Return the indices of the remaining cases, without parts that are already lost."""
    lost = {
        case.part
        for case, outcome in zip(found.cases, found.outcomes, strict=True)
        if isinstance(outcome, NoAnswer) and outcome is not NOT_TRIED
    }
    return [
        place
        for place, outcome in enumerate(found.outcomes)
        if outcome is NOT_TRIED and found.cases[place].part not in lost
    ]


def _ask_to_prepare(
    submitted: Submitted, worker: WorkerClient, name: str, forbids: Forbidden
) -> dict[str, Any] | NoAnswer:
    question = {
        "do": "prepare",
        "cells": submitted.cells,
        "name": name,
        "choice": submitted.choice.name,
        "forbids": {
            each: list(getattr(forbids, each)) for each in ("modules", "names", "calls", "inside")
        },
    }
    answer = worker.ask(question, submitted.left(submitted.limits.start))
    if not isinstance(answer, NoAnswer) and "unreadable" in answer:
        raise NothingToJudge(str(answer["unreadable"]))
    return answer


def _prepared(
    submitted: Submitted, exercise: Exercise, worker: WorkerClient, found: Answers, version: int
) -> Answers:
    """Return the answers as far as the source tells; no line of the submission has run yet."""
    answer = _ask_to_prepare(submitted, worker, exercise.name, exercise.forbids)
    if isinstance(answer, NoAnswer):
        return found
    submitted.chosen = answer["chosen"]
    broken = _no_python(answer["broken"])
    missing = ""
    if not answer["found"]:
        where = text_cell_with(read_text(submitted.path), f"def {exercise.name}(")
        hint = f" Cell {where} has it, but is a text cell: make it a code cell." if where else ""
        missing = f"No cell of the notebook defines a function `{exercise.name}`.{hint}{broken}"
    uses = tuple(str(use) for use in answer["versions"][version])
    versions, stub = len(answer["versions"]), bool(answer["stub"])
    return replace(found, missing=missing, versions=versions, stub=stub, uses=uses, broken=broken)


def _outcomes(
    submitted: Submitted, exercise: Exercise, worker: WorkerClient, cases: Sequence[Case]
) -> list[Outcome]:
    """Return the outcomes up to the first case without an answer."""
    outcomes: list[Outcome] = []
    harness = harness_source(exercise.arguments, exercise.observe)
    if worker.ended is not None:  # while loading
        return [worker.ended] * len(cases)
    for case in cases:
        question = {"do": "call", "data": encode(dict(case.data)), "harness": harness}
        answer = worker.ask(question, submitted.left(exercise.seconds))
        if isinstance(answer, NoAnswer):
            slow = answer.reason in ("too slow", "ended")
            rest = [NOT_TRIED if slow else answer] * (len(cases) - len(outcomes) - 1)
            return [*outcomes, answer, *rest]
        outcomes.append(outcome_of(answer.get("outcome")))
    return outcomes


def _no_python(broken: Sequence[Mapping[str, Any]]) -> str:
    if not broken:
        return ""
    cells = "; ".join(f"cell {entry['cell']}: {entry['message']}" for entry in broken[:3])
    version = platform.python_version().rpartition(".")[0]
    return f" Cells that are not valid Python {version}: {cells}."


def _held(loaded: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the function reaches that is forbidden; the worker's claim is not verified."""
    found = loaded.get("held")
    words = found if type(found) is list else []
    return tuple(word[:200] for word in words[:10] if type(word) is str)


def _failed(loaded: Mapping[str, Any]) -> str:
    """Describe the cells that failed while loading; the worker's claim is not verified."""
    failed = loaded.get("failed")
    lines = []
    for entry in failed[:3] if type(failed) is list else ():
        outcome = outcome_of(entry.get("outcome")) if type(entry) is dict else None
        if isinstance(outcome, Raised):
            where = f"cell {str(entry.get('cell'))[:8]}, line {str(entry.get('line'))[:8]}"
            message = " ".join(outcome.message[:200].split())
            kind = "" if outcome.type == "LateError" else f"{outcome.type}: "
            lines.append(f"In {where}: {kind}{message}")
    return "\n" + "\n".join(lines) if lines else ""
