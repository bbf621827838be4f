"""Memory line by line: the resident memory of the process, or Python's own allocations."""

from __future__ import annotations

import multiprocessing
import sys
import tracemalloc
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import check_function, traceable
from hpml.profiling.errors import ProfilingError


class MemoryLine(NamedTuple):
    """A line of a function: resident memory after it and its increase, both in MiB."""

    number: int
    usage: float | None
    increment: float | None
    occurrences: int | None
    text: str


class AllocationLine(NamedTuple):
    """A line of a function: the bytes that it left allocated, and its peak."""

    number: int
    kept: int | None
    peak: int | None
    occurrences: int | None
    text: str


@dataclass(frozen=True)
class LineMemory(Shown):
    """The memory in each line of a function, in one run, and the function's result.

    Attributes:
        lines: a `MemoryLine` or `AllocationLine` per line; unexecuted lines have None as values.
        peak: the peak of the call in bytes, for `allocation_lines` only.
    """

    table: Table = field(repr=False, compare=False)
    lines: tuple[Any, ...]
    result: Any = field(default=None, repr=False, compare=False)
    peak: int = 0


@dataclass(frozen=True)
class MemoryOverTime:
    """Seconds since the start and resident memory in MiB of each sample, and the result."""

    seconds: tuple[float, ...]
    usage: tuple[float, ...]
    result: Any = field(default=None, repr=False, compare=False)


def memory_lines(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> LineMemory:
    """Call a function once and read the resident memory after each of its lines.

    The process may keep freed memory for later use, so an increase can be missing. A tight loop
    becomes several hundred times slower, so use a small input. The increments sum to the change of
    the whole call.

    Args:
        function: written in Python, in a file or in a cell; the functions that it calls, or
            defines inside, are not traced. For a recursive function only the first call is shown.

    Raises:
        ProfilingError: if `function` is not written in Python, its source is unknown, or another
            tracer (a debugger, coverage) is running or is set by the program.

    Source: https://pypi.org/project/memory-profiler/

    >>> def fill(n):
    ...     numbers = [0.5] * n
    ...     return len(numbers)
    >>> found = memory_lines(fill, 1000)
    >>> found.result, [line.occurrences for line in found.lines]
    (1000, [1, 1, 1])
    """
    code, source, first = traceable("memory_lines", function)
    reader = _ResidentReader(code)
    result = _traced("memory_lines", reader, function, arguments, keywords)
    mib = "{:.3f} MiB".format
    table, lines = _table(
        MemoryLine,
        source,
        first,
        reader.lines,
        dict.fromkeys(["Mem usage", "Increment"], mib),
        title=f"Resident memory of {code.co_name}, line by line",
        caption="Resident memory of the process, without a GPU's memory. Reading memory after each "
        "line makes the run much slower.",
    )
    return LineMemory(table, lines, result)


def allocation_lines(
    function: Callable[..., Any], /, *arguments: Any, **keywords: Any
) -> LineMemory:
    """Call a function once and count the bytes that Python allocates in each of its lines.

    This includes Python's objects and NumPy's arrays, by all functions that it calls and all
    threads, but not the memory of tensors: see `work_of`. The counting itself allocates a few
    dozen bytes per line.

    Args:
        function: written in Python, in a file or in a cell. For a recursive function only the
            first call is shown.

    Raises:
        ProfilingError: if `function` is not written in Python, its source is unknown, another
            tracer (a debugger, coverage) is running or is set by the program, tracemalloc is
            already on, or the program stops it.

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
            object="allocation_lines",
            expected="tracemalloc switched off",
            received="a program that already uses it",
            remedy="Call tracemalloc.stop() first.",
        )
    reader = _AllocationReader(code)
    tracemalloc.start()
    witness = bytearray(100)  # unknown to tracemalloc once the program stopped or cleared it
    try:
        result = _traced("allocation_lines", reader, function, arguments, keywords)
        if tracemalloc.get_object_traceback(witness) is None:
            raise ProfilingError(
                f"{code.co_name} stopped tracemalloc or cleared its traces, so its allocations are "
                "unknown.",
                object=code.co_name,
                expected="a function that leaves tracemalloc alone",
                received="one that stopped it or cleared its traces",
                remedy="Leave tracemalloc to allocation_lines.",
            )
    finally:
        tracemalloc.stop()
    table, lines = _table(
        AllocationLine,
        source,
        first,
        reader.lines,
        dict.fromkeys(["Kept", "Peak"], format_bytes),
        title=f"Python's allocations in {code.co_name}, line by line",
        caption=f"Peak: {format_bytes(reader.peak)}. Counted by tracemalloc: Python's objects and "
        "NumPy's arrays, not the memory of tensors.",
    )
    return LineMemory(table, lines, result, reader.peak)


def memory_over_time(function: Callable[..., Any], *arguments: Any) -> MemoryOverTime:
    """Call a function once while another process samples the resident memory every 10 ms.

    Raises:
        ProfilingError: if `function` cannot be called.
    """
    from memory_profiler import memory_usage

    check_function("memory_over_time", function)
    errors: list[BaseException] = []

    def run() -> Any:
        # If the function raises an Exception, memory_profiler kills all child processes of this
        # process. After another one, such as SystemExit, its own child would never end.
        try:
            return function(*arguments)
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)
            return None

    others = set(multiprocessing.active_children())
    try:
        samples, result = memory_usage(
            (run, (), {}), interval=0.01, timestamps=True, retval=True, max_iterations=1
        )
    except BaseException:  # an interrupt while this process waits for the child
        for child in set(multiprocessing.active_children()) - others:
            child.kill()
            child.join()
        raise
    for child in set(multiprocessing.active_children()) - others:
        child.join()  # it has sent its samples and is about to end
    if errors:
        raise errors[0]
    start = samples[0][1]
    return MemoryOverTime(
        tuple(time - start for _, time in samples), tuple(usage for usage, _ in samples), result
    )


def _table(
    kind: Callable[..., tuple[Any, ...]],
    source: Sequence[str],
    first: int,
    measured: Mapping[int, tuple[float, float, int]],
    columns: Mapping[str, Callable[..., str]],
    *,
    title: str,
    caption: str,
) -> tuple[Table, tuple[Any, ...]]:
    """Return the table of a function's lines, given the form of each measured column, and them."""

    def indented(line: object) -> str:
        return str(line).replace(" ", "\u00a0")  # a page collapses plain spaces

    unseen = (None, None, None)
    lines = tuple(
        kind(number, *measured.get(number, unseen), text.rstrip())
        for number, text in enumerate(source, first)
    )
    table = Table(
        ["Line #", *columns, "Occurrences", "Line Contents"],
        lines,
        align=["right"] * 4 + ["left"],
        formats={**columns, "Line Contents": indented},
        code=True,
        title=title,
        caption=caption,
    )
    return table, lines


def _traced(
    caller: str,
    reader: _Reader,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
) -> Any:
    """Call a function while a reader follows its first call, and return its result."""
    called = reader.called
    reader.begin()
    sys.settrace(called)
    try:
        result = function(*arguments, **keywords)
        followed = sys.gettrace() is called
    finally:
        sys.settrace(None)
    if not followed:
        raise ProfilingError(
            f"The program set its own trace function (sys.settrace), which ended {caller}.",
            object=f"program of {caller}",
            expected="no trace function of its own",
            received="a call of sys.settrace, which ended the measurement",
            remedy="Call it without.",
        )
    reader.check(caller)
    return result


class _Reader:
    """Read a counter after each line of the first call of a function."""

    def __init__(self, code: types.CodeType) -> None:
        self.lines: dict[int, tuple[Any, Any, int]] = {}
        self._code = code
        self._frame: types.FrameType | None = None
        self._line: int | None = None

    def begin(self) -> None:
        """Read the counter before the call."""

    def check(self, caller: str) -> None:
        """Raise an error unless the changes of the lines sum to the change of the whole call."""
        lines, whole = self._changes()
        if abs(lines - whole) > 1e-6 * max(1.0, abs(whole)):
            raise ProfilingError(
                object=f"lines of {self._code.co_name} in {caller}",
                expected=f"changes of the memory that add up to {whole:.6g}, as the whole call's",
                received=f"{lines:.6g}",
                remedy="Check whether the program changes the counter that is read.",
            )

    def _changes(self) -> tuple[float, float]:
        """Return the sum of the lines' changes, and the change of the whole call."""
        raise NotImplementedError

    def called(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if frame.f_code is not self._code or self._frame is not None:
            return None
        self._frame = frame
        return self._trace

    def _trace(self, frame: types.FrameType, event: str, argument: object) -> Any:
        raise NotImplementedError


class _ResidentReader(_Reader):
    """Read the resident memory, in MiB: after each line, its increase, and how often it ran."""

    def begin(self) -> None:
        import psutil

        self._process = psutil.Process()
        self._start = self._before = self._resident()

    def _changes(self) -> tuple[float, float]:
        return sum(line[1] for line in self.lines.values()), self._before - self._start

    def _resident(self) -> float:
        return float(self._process.memory_info().rss) / 2**20

    def called(self, frame: types.FrameType, event: str, argument: object) -> Any:
        trace = super().called(frame, event, argument)
        if trace is not None:  # the function's first line: nothing has run yet
            self._start = self._before = self._resident()
            self.lines[frame.f_code.co_firstlineno] = (self._start, 0.0, 1)
        return trace

    def _trace(self, frame: types.FrameType, event: str, argument: object) -> Any:
        if event in ("line", "return"):
            now = self._resident()
            if self._line is not None:
                _, increment, count = self.lines.get(self._line, (0.0, 0.0, 0))
                self.lines[self._line] = (now, increment + now - self._before, count + 1)
            else:  # between the call and the first line
                number = frame.f_code.co_firstlineno
                self.lines[number] = (now, now - self._before, 1)
            self._line, self._before = frame.f_lineno, now
        return self._trace


class _AllocationReader(_Reader):
    """Read tracemalloc's counters: the bytes that a line left, its peak, and how often it ran."""

    def __init__(self, code: types.CodeType) -> None:
        super().__init__(code)
        self.peak = 0  # above the start, without what the counting itself allocates
        self._start = self._before = self._last = self._counting = self._kept = 0

    def begin(self) -> None:
        tracemalloc.reset_peak()
        self._start = self._before = tracemalloc.get_traced_memory()[0]

    def _changes(self) -> tuple[float, float]:
        kept = sum(line[0] for line in self.lines.values())
        return kept + self._counting, self._before - self._start

    def _trace(self, frame: types.FrameType, event: str, argument: object) -> Any:
        self._read(event, frame)
        if event in ("line", "return"):  # read when no value of `_read` is left to be freed
            tracemalloc.reset_peak()
            self._before = tracemalloc.get_traced_memory()[0]
            self._counting += self._before - self._last
        return self._trace

    def _read(self, event: str, frame: types.FrameType) -> None:
        now, peak = tracemalloc.get_traced_memory()
        if event in ("line", "return"):
            if self._line is not None:
                kept, highest, count = self.lines.get(self._line, (0, 0, 0))
                change, top = now - self._before, peak - self._before
                self.lines[self._line] = (kept + change, max(highest, top), count + 1)
                self.peak = max(self.peak, self._kept + top)
                self._kept += change
            else:  # between the call and the first line
                self._counting += now - self._before
            self._line, self._last = frame.f_lineno, now
