"""What Python allocates, line by line and to the byte: `tracemalloc` read after each line.

`memory_lines` asks the system for whole pages of the process. This one asks Python's allocators, so
it sees what is allocated and freed within one line, and nothing of PyTorch's own memory.
"""

from __future__ import annotations

import sys
import tracemalloc
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import traceable
from hpml.profiling.errors import ProfilingError
from hpml.profiling.memory.memory_lines import indented


class AllocationLine(NamedTuple):
    """A line of a function, with what Python allocated in it."""

    number: int
    kept: int | None
    peak: int | None
    occurrences: int | None
    text: str


@dataclass(frozen=True)
class AllocationLines(Shown):
    """What Python allocated in each line of a function, in one run.

    Attributes:
        name: of the function.
        lines: all lines of the function, those that were not executed too.
        peak: the most bytes allocated at a time since the call began.
        result: what the function returned.
    """

    name: str
    lines: tuple[AllocationLine, ...]
    peak: int
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> Table:
        """A row a line."""
        return Table(
            ["Line #", "Kept", "Peak", "Occurrences", "Line Contents"],
            self.lines,
            title=f"Python's allocations in {self.name}, line by line",
            caption=f"At most {format_bytes(self.peak)} at a time. Counted by tracemalloc: "
            "Python's objects and NumPy's arrays, not the memory of tensors.",
            align=["right"] * 4 + ["left"],
            formats={"Kept": format_bytes, "Peak": format_bytes, "Line Contents": indented},
            code=True,
        )


def allocation_lines(
    function: Callable[..., Any], *arguments: Any, **keywords: Any
) -> AllocationLines:
    """Call a function once and count what Python allocates in each of its lines.

    Counted are Python's objects and NumPy's arrays, in this function and all that it calls, by any
    thread. The memory of tensors is not Python's: see `work_of`. A few hundred bytes a line are the
    counting itself.

    Args:
        function: written in Python, in a file or in a cell. Of a recursive one the first call's
            lines are shown.

    Raises:
        ProfilingError: if `function` is not written in Python, its source is not known, another
            tracer (a debugger, coverage) is running, or tracemalloc is on already.

    Source: https://docs.python.org/3/library/tracemalloc.html

    >>> def fill(n):
    ...     numbers = bytearray(n)
    ...     return len(bytes(numbers))
    >>> found = allocation_lines(fill, 10**6)
    >>> [round(line.peak, -4) for line in found.lines if line.peak is not None]
    [1000000, 1000000]
    >>> round(found.peak, -5), found.result
    (2000000, 1000000)
    """
    code, source, first = traceable("allocation_lines", function)
    if tracemalloc.is_tracing():
        raise ProfilingError(
            "allocation_lines was called while tracemalloc is on; call tracemalloc.stop() first."
        )
    reader = _Reader(code)
    tracemalloc.start()
    try:
        reader.begin()
        sys.settrace(reader.called)
        result = function(*arguments, **keywords)
    finally:
        sys.settrace(None)
        tracemalloc.stop()
    lines = []
    for number, text in enumerate(source, first):
        kept, peak, count = reader.lines.get(number, (None, None, None))
        lines.append(AllocationLine(number, kept, peak, count, text.rstrip()))
    return AllocationLines(code.co_name, tuple(lines), reader.peak, result)


class _Reader:
    """Reads tracemalloc's counters whenever the function goes on to another line."""

    def __init__(self, code: types.CodeType) -> None:
        self.lines: dict[int, tuple[int, int, int]] = {}
        self.peak = 0
        self._code = code
        self._frame: types.FrameType | None = None
        self._line: int | None = None
        self._start = self._before = 0

    def begin(self) -> None:
        tracemalloc.reset_peak()
        self._start = self._before = tracemalloc.get_traced_memory()[0]

    def called(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if frame.f_code is not self._code or self._frame is not None:
            return None
        self._frame = frame
        return self._went_on

    def _went_on(self, frame: types.FrameType, event: str, argument: object) -> Any:
        now, peak = tracemalloc.get_traced_memory()
        self.peak = max(self.peak, peak - self._start)
        if event in ("line", "return"):
            if self._line is not None:
                kept, highest, count = self.lines.get(self._line, (0, 0, 0))
                highest = max(highest, peak - self._before)
                self.lines[self._line] = (kept + now - self._before, highest, count + 1)
            self._line = frame.f_lineno
            tracemalloc.reset_peak()
            self._before = tracemalloc.get_traced_memory()[0]
        return self._went_on
