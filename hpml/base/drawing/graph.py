"""What of a graph a picture needs: who reads which value, and who makes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hpml.base.errors import HpmlError, describe


class DrawingError(HpmlError):
    """A graph cannot be drawn so that it could be read."""


class Applied(Protocol):
    """One call: the values it reads, and those it makes, None for one that is not used."""

    @property
    def arguments(self) -> tuple[int, ...]: ...

    @property
    def results(self) -> tuple[int | None, ...]: ...


class Drawable(Protocol):
    """A graph; its values are numbered, and each call stands behind those it needs."""

    @property
    def inputs(self) -> tuple[int, ...]: ...

    @property
    def calls(self) -> Sequence[Applied]: ...

    @property
    def outputs(self) -> tuple[int, ...]: ...


class NamedCall(NamedTuple):
    """One call of a `Dataflow`: what it is called, reads and makes."""

    name: str
    arguments: tuple[int, ...]
    results: tuple[int, ...]


class Dataflow(NamedTuple):
    """A graph of nothing but names.

    Attributes:
        names: of each value.
        inputs: the values that are given.
        calls: in an order that works: arguments before results.
        outputs: the requested values.
    """

    names: tuple[str, ...]
    inputs: tuple[int, ...]
    calls: tuple[NamedCall, ...]
    outputs: tuple[int, ...]


def dataflow(
    parents: Mapping[str, Sequence[str]], outputs: Sequence[str] | None = None
) -> Dataflow:
    """Return the graph of a dictionary that has for each value those it is computed from.

    Args:
        parents: an empty list for an input; parents stand before their children.
        outputs: the values asked for; by default those that no other value needs.

    Raises:
        DrawingError: a parent stands behind its child, or there is no value of that name.

    >>> dataflow({"x": [], "y": ["x"]})
    Dataflow(names=('x', 'y'), inputs=(0,), calls=(NamedCall(name='y', ...),), outputs=(1,))
    """
    number = {name: i for i, name in enumerate(parents)}
    for name, above in parents.items():
        for parent in above:
            if number.get(parent, len(number)) >= number[name]:
                raise DrawingError(
                    f"A graph expects parents before children, got {describe(name)} before its "
                    f"parent {describe(parent)}, or without it."
                )
    used = {parent for above in parents.values() for parent in above}
    wanted = outputs or [name for name in parents if name not in used]
    for name in wanted:
        if name not in number:
            raise DrawingError(
                f"The graph has no value {describe(name)}; it has {describe(list(parents), 200)}."
            )
    return Dataflow(
        tuple(map(str, parents)),
        tuple(number[name] for name, above in parents.items() if not above),
        tuple(
            NamedCall(name, tuple(number[parent] for parent in above), (number[name],))
            for name, above in parents.items()
            if above
        ),
        tuple(number[name] for name in wanted),
    )
