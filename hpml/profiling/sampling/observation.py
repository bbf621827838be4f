"""What an observer of a run returns, and whether it answers the question."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hpml.profiling.call_tree import short_place

_FEW = 0.01
"""A share of unseen samples that is less than chance leaves open: 3 points with 1,000 samples."""

Stack = tuple[tuple[str, str], ...]
"""The (name, place) of each function, from the outermost call inwards."""


class CodePlace(NamedTuple):
    """A function as an observer reports it: its name, file and first line."""

    name: str
    file: str
    line: int


@dataclass(frozen=True)
class Observation:
    """The samples of one run.

    Attributes:
        stacks: the number of samples of each stack; a thread weights its samples with time.
        unseen: the number of samples that could not tell where the program was.
        observer: who took them: ``"another process"``, ``"signal handler"`` or ``"thread"``.
    """

    stacks: Mapping[Stack, float]
    unseen: float
    observer: str

    @property
    def unseen_share(self) -> float:
        """The share of the samples that could not tell where the program was."""
        total = self.unseen + sum(self.stacks.values())
        return self.unseen / total if total else 0.0

    @property
    def could_differ(self) -> bool:
        """Whether more than a few unseen samples could give another function the most own time."""
        own: Counter[tuple[str, str]] = Counter()
        for stack, count in self.stacks.items():
            own[stack[-1]] += count  # type: ignore[assignment]
        first, second = ([count for _, count in own.most_common(2)] + [0, 0])[:2]
        return self.unseen_share > _FEW and second + self.unseen >= first


class Unavailable(Exception):
    """This observer cannot be used here; the message says why."""


Observer = Callable[[Callable[[], Any], float], tuple[Any, Observation]]
"""Calls a function while it takes samples with a mean interval; raises `Unavailable` before."""


def call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the sampled function: the frames above this one belong to the run."""
    return function(*arguments)


MARK = CodePlace("call", os.path.abspath(__file__), call.__code__.co_firstlineno)


def stack_of(frames: Iterable[CodePlace]) -> Stack | None:
    """Return the part of a stack, outermost call first, that belongs to the run, if any."""
    found: list[tuple[str, str]] | None = None
    for name, file, line in frames:
        if found is not None:
            # An observer may report "outer.<locals>.inner"; a tree shows the last part.
            found.append((name.rpartition(".")[2], short_place(file, line)))
        elif name == MARK.name and line == MARK.line and os.path.abspath(file) == MARK.file:
            found = []
    return tuple(found) if found else None


def on_this_platform(*names: str) -> bool:
    """Return whether `sys.platform` is one of `names`, without letting a type checker decide."""
    return str(sys.platform) in names
