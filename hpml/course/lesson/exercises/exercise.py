"""The declaration of an exercise, used by the notebook, the check and grading.

`arguments` and `observe` run next to the submission, so they are in the lab's ``harness.py``, which
contains no answer. `judge` knows the answer and runs outside the sandbox.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hpml.base.tables import readable
from hpml.course.lesson.exercises.outcomes import Outcome, symptom
from hpml.course.sandbox.harness import ArgumentBuilder, Observer, by_name, the_result


@dataclass(frozen=True)
class Case:
    """One test case of an exercise."""

    name: str  # a few words: "a diamond"
    # Plain values, from which the exercise's `arguments` function builds the call; by default the
    # arguments by parameter name
    data: Mapping[str, Any]
    part: str = "right"  # the part of the exercise's points that it belongs to
    call: str = ""  # the call as shown, if `data` is too long to show


@dataclass(frozen=True)
class Wrong:
    """Why an outcome is wrong."""

    expected: str  # "[0, 1]" or "any order with a before b"
    received: str
    why: str = ""  # one sentence, if the other two are not enough


@dataclass(frozen=True)
class Forbidden:
    """What a solution may not use, in all source that the function needs."""

    modules: tuple[str, ...] = ()  # modules, with their submodules
    names: tuple[str, ...] = ()  # names, attributes and keyword arguments: "getsizeof"
    calls: tuple[str, ...] = ()  # functions that may not be called by name: "sorted"
    inside: tuple[str, ...] = ()  # names that functions may not use, but top-level code may
    why: str = ""


@dataclass(frozen=True)
class Speed:
    """The points for speed: the ratio of the submission's time to that of a reference."""

    points: float
    # The function to compare with; the submission's worker never gets its file
    reference: Callable[..., object]
    # Makes the data of one round from a random generator; both sides get the same
    inputs: Callable[[random.Random], Case]
    full: float  # the largest ratio (submission / reference) that earns all points
    none: float  # the ratio that earns none; in between, points fall linearly in its logarithm
    beside: str  # what the reference is, as the statement names it: "a plain solution"
    # Or in steps: the largest ratios above `full`, up to `none`, with the points that each earns
    steps: tuple[tuple[float, float], ...] = ()
    # Other tasks that a student may have done instead, each with its own reference and inputs. The
    # first is measured whose inputs give a right result; so the judge must tell them by the data.
    alternatives: tuple[Speed, ...] = ()

    @property
    def rule(self) -> str:
        """What earns the points for speed, as a sentence of the statement."""
        worth = f"{self.points:g} point{'s are' if self.points != 1 else ' is'}"
        begin = (
            f"{worth} for speed, measured in grading: all at up to {_times(self.full)} the time of"
        )
        if not self.steps:
            return f"{begin} {self.beside}, none at {_times(self.none)} that time or more."
        rest = [f"{points:g} at up to {_times(ratio)}" for ratio, points in self.steps]
        return f"{begin} {self.beside}, {', '.join(rest)}."


@dataclass(frozen=True)
class Exercise:
    """A function that a student writes."""

    name: str
    # Points by part, `{"right": 2, "deep": 1}`; a part is earned if all of its cases pass
    parts: Mapping[str, float]
    # Makes the cases from a random generator and `more` (False in the notebook, True for grading);
    # the same generator state gives the same cases
    cases: Callable[[random.Random, bool], Sequence[Case]]
    # Returns None if the outcome of a case is right, otherwise why it is wrong
    judge: Callable[[Case, Outcome], Wrong | None]
    # The part of a wrong outcome that is matched with known wrong answers; by default all of it
    symptom: Callable[[Case, Outcome], object] = symptom
    lab: str = ""
    number: int = 0  # its place in the lab, from 1: exercise 06.1
    wrong_answers: Path | None = None
    # By part, in the order in which they are given; a part without hints uses the first part's
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forbids: Forbidden = field(default_factory=Forbidden)
    # Makes the call's arguments from a case's data; from the lab's `harness.py`
    arguments: ArgumentBuilder = by_name
    observe: Observer = the_result  # turns the result and the arguments into plain data
    keeps_arguments: bool = True  # whether the arguments must be unchanged after the call
    seconds: float = 5.0  # the deadline of one call
    patience: float = 2.0  # the deadline of a known wrong answer if the student's call returned
    speed: Speed | None = None
    packages: tuple[str, ...] = ("numpy",)  # importable in the sandbox, with the standard library
    # What later labs use until the student's function passes its check; None: they wait for it
    provided: Callable[..., Any] | None = None
    core: bool = True  # False: optional, for bonus points on top of full marks
    # The author's estimate of the minutes to solve it, with its check; reading is counted apart
    minutes: float = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))
        object.__setattr__(self, "hints", MappingProxyType(dict(self.hints)))

    @property
    def rules(self) -> str:
        """What grading lets the function import and use, and how long it waits.

        The notebook has it as the last line of the statement.
        """
        forbids = self.forbids
        allowed = [_code(each) for each in self.packages if each not in forbids.modules]
        imports = _listed(["the standard library", *allowed], "and")
        without = _listed(map(_code, forbids.modules), "or")
        parts = [f"It may import {imports}{', but not ' * bool(without)}{without}."]
        if names := _listed(map(_code, (*forbids.names, *forbids.calls)), "or"):
            parts.append(f"It may not use {names}.")
        if names := _listed(map(_code, forbids.inside), "or"):
            parts.append(f"No function may use {names}.")
        if forbids.why:
            parts.append(forbids.why)
        parts.append(f"In grading, a call has {self.seconds:g} second{'s' * (self.seconds != 1)}.")
        if self.speed is not None:
            parts.append(self.speed.rule)
        return f"*{' '.join(parts)}*"

    @property
    def title(self) -> str:
        """What stands in brackets behind its name: its points, and whether it is core."""
        points, bonus = sum(self.worth.values()), "" if self.core else "bonus "
        part = "core" if self.core else "going further"
        return f"({points:g} {bonus}point{'s' * (points != 1)}, {part})"

    @property
    def worth(self) -> dict[str, float]:
        """The points by part, including the part for speed."""
        return {**self.parts, **({"speed": self.speed.points} if self.speed else {})}

    @property
    def points(self) -> float:
        """Its share of full marks; 0 for an exercise that earns a bonus."""
        return sum(self.worth.values()) if self.core else 0


def _times(ratio: float) -> str:
    """Return a ratio of times: ``"1.5 times"``, ``"1/30 of"``."""
    return f"{ratio:g} times" if ratio >= 0.5 else f"1/{readable(1 / ratio, 3)} of"


def _code(word: str) -> str:
    return f"`{word}`"


def _listed(words: Iterable[str], last: str) -> str:
    """Return words as in a sentence: ``"a, b or c"``."""
    *others, end = [*words] or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


@dataclass(frozen=True)
class Choice:
    """The explanation at a lab's end: a cell assigns the number of the chosen experiment."""

    lab: str
    number: int  # its place in the lab
    best: int  # the number, from 1, of the experiment that distinguishes the hypotheses
    experiments: int = 3  # the number of experiments
    points: float = 1
    name: str = "explanation"  # the variable that the cell assigns
