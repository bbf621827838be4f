"""The graphs that can be drawn: which calls read and which make each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hpml.base.errors import HpmlError, describe


class DrawingError(HpmlError):
    """A graph is invalid, or too large for a readable picture."""


class Applied(Protocol):
    """One call: the values that it reads and makes; None for an unused result."""

    @property
    def arguments(self) -> tuple[int, ...]: ...

    @property
    def results(self) -> tuple[int | None, ...]: ...


class Drawable(Protocol):
    """A graph of numbered values, with its calls in topological order."""

    @property
    def inputs(self) -> tuple[int, ...]: ...

    @property
    def calls(self) -> Sequence[Applied]: ...

    @property
    def outputs(self) -> tuple[int, ...]: ...


class NamedCall(NamedTuple):
    """One call of a `Dataflow`: its name, and the values that it reads and makes."""

    name: str
    arguments: tuple[int, ...]
    results: tuple[int, ...]


class Dataflow(NamedTuple):
    """A graph of named values and calls, with the calls in topological order."""

    names: tuple[str, ...]
    inputs: tuple[int, ...]
    calls: tuple[NamedCall, ...]
    outputs: tuple[int, ...]


def dataflow(parents: Mapping[str, Sequence[str]]) -> Dataflow:
    """Return the graph of a dictionary from each value to its parents, in topological order.

    The outputs are the values that no other value needs.

    Raises:
        DrawingError: a parent comes after its child.

    >>> dataflow({"x": [], "y": ["x"]})
    Dataflow(names=('x', 'y'), inputs=(0,), calls=(NamedCall(name='y', ...),), outputs=(1,))
    """
    number = {name: i for i, name in enumerate(parents)}
    for name, above in parents.items():
        for parent in above:
            if number.get(parent, len(number)) >= number[name]:
                raise DrawingError(
                    object=describe(name),
                    expected=f"its parent {describe(parent)} before it",
                    received="the parent after it" if parent in number else "no such node",
                    remedy="List each node after its parents.",
                )
    used = {parent for above in parents.values() for parent in above}
    return Dataflow(
        tuple(map(str, parents)),
        tuple(number[name] for name, above in parents.items() if not above),
        tuple(
            NamedCall(name, tuple(number[parent] for parent in above), (number[name],))
            for name, above in parents.items()
            if above
        ),
        tuple(number[name] for name in parents if name not in used),
    )
