"""How an instruction of a lab is followed: by what a student would do, and what is seen then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.causes.shown import OwnedBy


@dataclass(frozen=True)
class Change:
    """A cell is changed and run again; what it then shows matches a pattern.

    The changed cell is a copy behind the original, unless it has to be changed in its place.
    """

    cell: str
    old: str
    new: str
    shows: str = ""
    in_place: bool = False


@dataclass(frozen=True)
class Moved:
    """The controls of a cell are set, one after another; what is then shown matches a pattern."""

    cell: str
    controls: Mapping[str, object]
    shows: str


@dataclass(frozen=True)
class Seen:
    """What a student is to look at is there: a cell, run as it is, shows each of these patterns."""

    cell: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Nothing:
    """Why there is nothing to follow in a notebook."""

    text: str


def seen(cell: str, *patterns: str) -> Seen:
    """Return the entry of a sentence that says what to look at."""
    return Seen(cell, patterns)


THINK = Nothing("the student thinks, in the head or on paper, and then opens what is folded away")
ADVICE = Nothing("advice for programs of one's own, or for another day; the lab does not need it")
NONE = Nothing("it describes what a program, a person or the lab does; nobody is told to do it")
NEXT_CELL = Nothing("it announces what the next cell does; running the lab follows it")

EXPLAINED = OwnedBy(
    "tests/browser/test_labs.py", "test_an_explanation_asks_and_once_chosen_shows_the_reasons"
)
CHECKED = OwnedBy("tests/browser/test_labs.py", "test_a_check_is_failed_and_then_passed")
CHALLENGED = OwnedBy(
    "tests/course/labs/test_challenges.py", "test_a_good_answer_reaches_the_target"
)

Step = Change | Moved | Seen | OwnedBy | Nothing | Callable[[], None]
Followed = Mapping[str, Step | tuple[Step, ...]]
