"""Memory line by line: the process's resident pages, or what Python's allocators count.

Resident memory knows nothing of a GPU, and what was freed may stay with the process for later use.
`tracemalloc` sees what is allocated and freed within one line, and nothing of PyTorch's own memory.
"""

from __future__ import annotations

import sys
import tracemalloc
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import check_function, traceable
from hpml.profiling.errors import ProfilingError


class MemoryLine(NamedTuple):
    """A line of a function: resident memory after it, in MiB, and by how much it grew."""

    number: int
    usage: float | None
    increment: float | None
    occurrences: int | None
    text: str


class AllocationLine(NamedTuple):
    """A line of a function: the bytes that it left allocated, and the most at a time in it."""

    number: int
    kept: int | None
    peak: int | None
    occurrences: int | None
    text: str


@dataclass(frozen=True)
class LineMemory(Shown):
    """Memory in each line of a function, in one run.

    Attributes:
        table: a row a line.
        lines: `MemoryLine` or `AllocationLine`, also for the lines that were not executed.
        result: what the function returned.
        peak: of `allocation_lines`, the most bytes at a time since the call began.
    """

    table: Table = field(repr=False, compare=False)
    lines: tuple[Any, ...]
    result: Any = field(default=None, repr=False, compare=False)
    peak: int = 0


@dataclass(frozen=True)
class MemoryOverTime:
    """Resident memory sampled while a function ran.

    Attributes:
        seconds: since the start, one a sample.
        usage: resident memory in MiB, one a sample.
        result: what the function returned.
    """

    seconds: tuple[float, ...]
    usage: tuple[float, ...]
    result: Any = field(default=None, repr=False, compare=False)


def memory_lines(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> LineMemory:
    """Call a function once and ask after each of its lines how much memory is resident.

    A tight loop becomes several hundred times slower: give it a small case.

    Args:
        function: written in Python, in a file or in a cell; what it calls is not looked into.

    Raises:
        ProfilingError: if `function` is not written in Python, its source is not known, or
            another tracer (a debugger, coverage) is running.

    Source: https://pypi.org/project/memory-profiler/

    >>> def fill(n):
    ...     numbers = [0.5] * n
    ...     return len(numbers)
    >>> found = memory_lines(fill, 1000)
    >>> found.result, [line.occurrences for line in found.lines]
    (1000, [1, 1, 1])
    """
    from memory_profiler import LineProfiler

    code, source, first = traceable("memory_lines", function)
    profiler = LineProfiler()
    # Not `add_function`: it refuses whatever is not in a file, and a cell's source is known too.
    measured: dict[int, tuple[float, float, int]] = {}
    for each in _with_inner(code):
        profiler.code_map[each] = measured
    profiler.enable_by_count()
    try:
        result = function(*arguments, **keywords)
    finally:
        profiler.disable_by_count()
    lines = _lines(MemoryLine, source, first, {n: (b, a, c) for n, (a, b, c) in measured.items()})
    mib = "{:.3f} MiB".format
    table = _table(
        ["Mem usage", "Increment"],
        lines,
        mib,
        title=f"Resident memory of {code.co_name}, line by line",
        caption="Resident memory of the process, not memory of a GPU. Memory is read after each "
        "line, so ignore the times of this run.",
    )
    return LineMemory(table, lines, result)


def allocation_lines(
    function: Callable[..., Any], /, *arguments: Any, **keywords: Any
) -> LineMemory:
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
    lines = _lines(AllocationLine, source, first, reader.lines)
    table = _table(
        ["Kept", "Peak"],
        lines,
        format_bytes,
        title=f"Python's allocations in {code.co_name}, line by line",
        caption=f"At most {format_bytes(reader.peak)} at a time. Counted by tracemalloc: "
        "Python's objects and NumPy's arrays, not the memory of tensors.",
    )
    return LineMemory(table, lines, result, reader.peak)


def memory_over_time(function: Callable[..., Any], *arguments: Any) -> MemoryOverTime:
    """Call a function once while another process samples resident memory, each hundredth second.

    Raises:
        ProfilingError: if `function` cannot be called.
    """
    from memory_profiler import memory_usage

    check_function("memory_over_time", function)
    errors: list[BaseException] = []

    def run() -> Any:
        # memory_profiler kills every child of this process if the function raises.
        try:
            return function(*arguments)
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)
            return None

    samples, result = memory_usage(
        (run, (), {}), interval=0.01, timestamps=True, retval=True, max_iterations=1
    )
    if errors:
        raise errors[0]
    start = samples[0][1]
    return MemoryOverTime(
        tuple(when - start for _, when in samples), tuple(used for used, _ in samples), result
    )


def _lines(
    kind: Callable[..., tuple[Any, ...]],
    source: Sequence[str],
    first: int,
    measured: Mapping[int, tuple[float, float, int]],
) -> tuple[Any, ...]:
    unseen = (None, None, None)
    return tuple(
        kind(number, *measured.get(number, unseen), text.rstrip())
        for number, text in enumerate(source, first)
    )


def _table(
    measured: list[str], lines: tuple[Any, ...], form: Callable[..., str], **texts: str
) -> Table:
    def indented(line: object) -> str:
        return str(line).replace(" ", "\u00a0")  # which a page keeps

    return Table(
        ["Line #", *measured, "Occurrences", "Line Contents"],
        lines,
        align=["right"] * 4 + ["left"],
        formats={**dict.fromkeys(measured, form), "Line Contents": indented},
        code=True,
        **texts,
    )


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _with_inner(constant)


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
