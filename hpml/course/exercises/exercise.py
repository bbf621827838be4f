"""An exercise, declared once: what the notebook shows, what the check tries, what grading counts.

What runs beside a submission (`arguments`, `observe`) is in a lab's ``harness.py``, whose source is
sent to the sandbox and has no answer in it; what knows the answer (`judge`) runs outside.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hpml.course.exercises.outcomes import Outcome, symptom
from hpml.sandbox.harness import ArgumentBuilder, Observer, by_name, the_result


@dataclass(frozen=True)
class Case:
    """One trial of an exercise."""

    name: str  # what is tried, in a few words: "a diamond"
    # The plain values that the worker's `arguments` function makes the call from; with the
    # default, the arguments by parameter name
    data: Mapping[str, Any]
    part: str = "right"  # which part of the exercise's points it decides
    # How the call is shown; made from `data` where empty. For what is too long to show
    call: str = ""


@dataclass(frozen=True)
class Wrong:
    """Why an outcome is not right."""

    expected: str  # what was expected, as text: "[0, 1]" or "any order with a before b"
    got: str
    why: str = ""  # one sentence, where the two do not say it all


@dataclass(frozen=True)
class Forbidden:
    """What a solution may not use; found in the source that the function needs."""

    modules: tuple[str, ...] = ()  # modules that may not be imported, with their submodules
    # Names that may not be used at all, also as attributes and as keyword arguments: "getsizeof"
    names: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()  # functions that may not be called by name: "sorted"
    # Names that no function may use; a number that another cell asked for may be used
    inside: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Speed:
    """A part of the points that is earned by time, as a ratio to a reference on one machine."""

    points: float
    # The function to compare with. Its file is sent to a worker of its own; the submission's
    # never holds it
    reference: Callable[..., object]
    # Makes the data of one round from a random generator; both sides get the same
    inputs: Callable[[random.Random], Case]
    full: float  # the ratio (submission / reference) up to which the part is earned in full
    # The ratio from which it is worth nothing; between the two, points fall in proportion to the
    # logarithm
    none: float
    calls: int = 1  # how many calls make one sample


@dataclass(frozen=True)
class Exercise:
    """A function that a student writes."""

    name: str
    # Points by part, `{"right": 2, "deep": 1}`. A part is earned when all of its cases pass
    parts: Mapping[str, float]
    # Makes the cases from a random generator and `more` (False in the notebook, True for grading,
    # which tries more); the same generator state gives the same cases
    cases: Callable[[random.Random, bool], Sequence[Case]]
    # None if the outcome of a case is right, otherwise why not
    judge: Callable[[Case, Outcome], Wrong | None]
    # The part of a wrong outcome by which it is matched to a known wrong answer; by default all
    symptom: Callable[[Case, Outcome], object] = symptom
    lab: str = ""
    number: int = 0  # its place in the lab, from 1; it is called 06.1
    wrong_answers: Path | None = None
    # By part; those of the part that failed are given one after the other. Those of the first
    # part stand for a part that has none of its own
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    forbids: Forbidden = field(default_factory=Forbidden)  # what may not be used
    # Makes the call's arguments from a case's data; from the lab's `harness.py`
    arguments: ArgumentBuilder = by_name
    observe: Observer = the_result  # the one that turns result and arguments into plain data
    keeps_arguments: bool = True  # whether the arguments must be unchanged after the call
    seconds: float = 5.0  # the deadline of one call
    # The deadline of a known wrong answer, where the student's own call gave an answer
    patience: float = 2.0
    speed: Speed | None = None  # a part of the points for time
    # What may be imported beyond the standard library, in the sandbox
    packages: tuple[str, ...] = ("numpy",)
    # Whether everybody does it; one that goes further earns a bonus, on top of full marks
    core: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))
        object.__setattr__(self, "hints", MappingProxyType(dict(self.hints)))

    @property
    def worth(self) -> dict[str, float]:
        """The points by part, the part for time among them."""
        return {**self.parts, **({"speed": self.speed.points} if self.speed else {})}

    @property
    def points(self) -> float:
        """What it adds to full marks: nothing where it goes further than the core."""
        return sum(self.worth.values()) if self.core else 0


@dataclass(frozen=True)
class Choice:
    """The explanation at a lab's end: the number of the experiment, assigned in a cell."""

    lab: str
    number: int  # its place in the lab
    best: int  # the number, from 1, of the experiment that tells the hypotheses apart
    experiments: int = 3  # how many there are
    points: float = 1
    name: str = "explanation"  # the name that the cell assigns
