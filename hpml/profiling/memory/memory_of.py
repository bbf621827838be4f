"""The bytes of n numbers, by what keeps them: measured on real objects, and taken apart."""

from __future__ import annotations

import array
import sys
from dataclasses import dataclass

from hpml.base.errors import describe
from hpml.base.tables import Shown, Table
from hpml.profiling.errors import ProfilingError

KINDS = ("list", "array", "numpy", "tensor")
"""What may keep the numbers."""

_ELEMENT = 8
"""Bytes of one number in C: a double."""

_MOST = 50_000_000


@dataclass(frozen=True)
class Part:
    """What a share of the memory is for.

    Attributes:
        name: ``"container"``, ``"pointers"``, ``"headers"`` (count and type of each object of a
            list) or ``"numbers"``.
        count: how many of them there are.
        each: bytes of one.
    """

    name: str
    count: int
    each: int

    @property
    def bytes(self) -> int:
        """Bytes of all of them."""
        return self.count * self.each


@dataclass(frozen=True)
class MemoryOf(Shown):
    """The memory of n numbers.

    Attributes:
        n: how many numbers.
        kind: what keeps them, one of `KINDS`.
        parts: what the bytes are for; together they are `total`.
        total: bytes, as measured.
    """

    n: int
    kind: str
    parts: tuple[Part, ...]
    total: int

    @property
    def per_number(self) -> float:
        """Bytes for each number, the container's share included."""
        return self.total / self.n

    @property
    def table(self) -> Table:
        """The parts, and their sum."""
        rows: list[list[object]] = [
            [part.name, part.count, part.each, part.bytes] for part in self.parts
        ]
        rows.append(["sum", "", "", self.total])
        article = "an" if self.kind == "array" else "a"
        what = {"numpy": "NumPy array"}.get(self.kind, self.kind)
        return Table(
            ["part", "times", "bytes each", "bytes"],
            rows,
            title=f"{self.n:,} numbers in {article} {what}",
            caption=f"{self.per_number:g} bytes a number, each of {_ELEMENT} bytes in C.",
            align=["left", "right", "right", "right"],
            formats={"bytes": lambda number: f"{number:,.0f}"},
        )


def memory_of(n: int, kind: str) -> MemoryOf:
    """Return how many bytes `n` different floats take, measured on objects made for the purpose.

    Of a list: ``sys.getsizeof`` of the list and of every float in it. Of an array: of the object,
    which includes its numbers. Of a NumPy array or a tensor (float64): of the object, and
    ``nbytes``; a tensor's C++ part of a few hundred bytes is not seen by either.

    Args:
        n: how many numbers, from 1 to fifty million.
        kind: ``"list"``, ``"array"``, ``"numpy"`` or ``"tensor"``.

    Raises:
        ProfilingError: if `n` or `kind` is none of these.

    >>> memory = memory_of(10, "array")
    >>> [(part.name, part.count, part.each) for part in memory.parts]
    [('container', 1, 80), ('numbers', 10, 8)]
    >>> memory.total == sum(part.bytes for part in memory.parts) == 160
    True
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
        raise ProfilingError(
            f"memory_of expects a whole number of numbers from 1 to {_MOST:,}, got {describe(n)}."
        )
    if kind == "list":
        return _list(n)
    if kind == "array":
        numbers = array.array("d", [0.0]) * n
        return _compact(n, kind, sys.getsizeof(numbers) - n * numbers.itemsize, numbers.itemsize)
    if kind == "numpy":
        import numpy as np

        made = np.zeros(n)
        # getsizeof counts the numbers of an array that owns them.
        return _compact(n, kind, sys.getsizeof(made) - made.nbytes, made.itemsize)
    if kind == "tensor":
        import torch

        tensor = torch.zeros(n, dtype=torch.float64)
        return _compact(n, kind, sys.getsizeof(tensor), tensor.element_size())
    raise ProfilingError(f"memory_of expects one of {', '.join(KINDS)}, got {describe(kind)}.")


def _list(n: int) -> MemoryOf:
    numbers = [float(number) for number in range(n)]
    numbers = list(numbers)  # a copy has no room to spare, as a list that grew may have
    container = sys.getsizeof([])
    pointers = sys.getsizeof(numbers) - container
    objects = sum(map(sys.getsizeof, numbers))
    # An odd number of pointers is rounded up to the next even one.
    parts = (
        Part("container", 1, container),
        Part("pointers", pointers // 8, 8),
        Part("headers", n, sys.getsizeof(1.0) - _ELEMENT),
        Part("numbers", n, _ELEMENT),
    )
    return MemoryOf(n, "list", parts, container + pointers + objects)


def _compact(n: int, kind: str, container: int, each: int) -> MemoryOf:
    parts = (Part("container", 1, container), Part("numbers", n, each))
    return MemoryOf(n, kind, parts, container + n * each)
