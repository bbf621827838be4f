"""Advice on many measurements at once: a line for each kind, however many contenders it is about.

On a busy machine nearly every measurement has something wrong with it, and often the same thing.
Said one by one it is a wall that nobody reads; said by kind it is a few lines.
"""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from hpml.base.page import PAPER
from hpml.base.tables import Table
from hpml.benchmark.stability import Advice, capital

UNSTABLE = ("drift", "two modes", "outliers", "wide spread")
"""Problems of samples that do not lie close together; the others are about how many there are."""

MOST_NAMES = 4
"""Of more measurements than this with the same problem, the rest are counted."""


@dataclass(frozen=True)
class Kind:
    """One problem, and all that have it.

    >>> slow = Advice("drift", "the last third is 9% slower", "Repeat.")
    >>> print(Kind("drift", (("lazy", slow), ("ordered", slow))))
    drift: lazy, ordered. Repeat.
    """

    problem: str
    found: tuple[tuple[str, Advice], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the measurements that have the problem."""
        return tuple(name for name, _ in self.found)

    @property
    def remedy(self) -> str:
        """What to do; where it is not the same for all, that of the first, who is named."""
        (first, advice), *others = self.found
        same = all(other.remedy == advice.remedy for _, other in others)
        return advice.remedy if same else f"For {first}: {advice.remedy}"

    @property
    def seen(self) -> str:
        """What the samples of the first show."""
        (first, advice), *others = self.found
        return f"For {first}, {advice.seen}." if others else f"{capital(advice.seen)}."

    def __str__(self) -> str:
        return f"{self.problem}: {some_names(self.names)}. {self.remedy}"


@dataclass(frozen=True, eq=True)
class AdvisedTable(Table):
    """A table with advice below it: a line a kind as text, folded under one line in a page."""

    advice: tuple[Kind, ...] = ()
    headline: str = ""

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.advice)])

    def _repr_html_(self) -> str:
        if not self.advice:
            return super()._repr_html_()
        items = "".join(
            f"<li><em>{html.escape(kind.problem)}</em>: {html.escape(some_names(kind.names))}. "
            f"{html.escape(kind.seen)} {html.escape(kind.remedy)}</li>"
            for kind in self.advice
        )
        return (
            f"{super()._repr_html_()}{PAPER}<details><summary><small>"
            f"{html.escape(self.headline)}. <u>What to do</u></small></summary>"
            f"<small><ul>{items}</ul></small></details>"
        )


def kinds(found: Iterable[tuple[str, Advice]]) -> tuple[Kind, ...]:
    """Return the advice of `Comparison.advice` by kind, in the order in which they come up."""
    groups: dict[str, list[tuple[str, Advice]]] = {}
    for name, advice in found:
        groups.setdefault(advice.problem, []).append((name, advice))
    return tuple(Kind(problem, tuple(group)) for problem, group in groups.items())


def unstable(advice: Iterable[Kind]) -> tuple[str, ...]:
    """Return the names of all whose samples do not lie close together, each once."""
    return tuple(
        dict.fromkeys(name for kind in advice if kind.problem in UNSTABLE for name in kind.names)
    )


def summary(advice: Iterable[Kind], of: int, what: str = "contenders") -> str:
    """Return one line on how many of so many measurements have which problem, or nothing.

    >>> far = Advice("outliers", "3 of 25 samples lie far above the rest", "Close other programs.")
    >>> summary(kinds([("lazy", far), ("ordered", far)]), of=7)
    'Unstable: 2 of 7 contenders (outliers)'
    """
    listed = tuple(advice)
    shaky = unstable(listed)
    parts = []
    if shaky:
        which = ", ".join(kind.problem for kind in listed if kind.problem in UNSTABLE)
        parts.append(f"unstable: {len(shaky)} of {of} {what} ({which})")
    parts += [
        f"{kind.problem}: {len(kind.found)}" for kind in listed if kind.problem not in UNSTABLE
    ]
    return capital("; ".join(parts))


def some_names(names: Iterable[str]) -> str:
    """Return names for a sentence, the first few of many.

    >>> some_names("abcdefg")
    'a, b, c, d and 3 more'
    """
    listed = list(names)
    if len(listed) <= MOST_NAMES + 1:
        return ", ".join(listed)
    return f"{', '.join(listed[:MOST_NAMES])} and {len(listed) - MOST_NAMES} more"
