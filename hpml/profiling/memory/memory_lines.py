"""`memory_profiler` with its results in the page, also for functions of a notebook's cell.

What is measured is resident memory: the pages of the process that lie in memory at that moment. It
knows nothing of a GPU, and memory that was freed may stay with the process for later use.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hpml.base.tables import Shown, Table
from hpml.profiling.checks import check_function, library, traceable


class MemoryLine(NamedTuple):
    """A line of a function: resident memory after it, in MiB, and by how much it grew."""

    number: int
    usage: float | None
    increment: float | None
    occurrences: int | None
    text: str


@dataclass(frozen=True)
class LineMemory(Shown):
    """Resident memory after each line of a function, in one run.

    Attributes:
        name: of the function.
        lines: all lines of the function, those that were not executed too.
        result: what the function returned.
    """

    name: str
    lines: tuple[MemoryLine, ...]
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def table(self) -> Table:
        """The table as `python -m memory_profiler` prints it."""
        mib = "{:.3f} MiB".format
        return Table(
            ["Line #", "Mem usage", "Increment", "Occurrences", "Line Contents"],
            self.lines,
            title=f"Resident memory of {self.name}, line by line",
            caption="Resident memory of the process, not memory of a GPU. The system was asked "
            "after each line: the times of this run say nothing.",
            align=["right"] * 4 + ["left"],
            formats={"Mem usage": mib, "Increment": mib, "Line Contents": indented},
            code=True,
        )


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


def memory_lines(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> LineMemory:
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
    profiler_class = library("memory_profiler").LineProfiler
    code, source, first = traceable("memory_lines", function)
    profiler = profiler_class()
    # Not `add_function`: it refuses whatever is not in a file, and a cell's source is known too.
    measured: dict[int, tuple[float, float, int]] = {}
    for each in _with_inner(code):
        profiler.code_map[each] = measured
    profiler.enable_by_count()
    try:
        result = function(*arguments, **keywords)
    finally:
        profiler.disable_by_count()
    lines = []
    for number, text in enumerate(source, first):
        growth, usage, count = measured.get(number, (None, None, None))
        lines.append(MemoryLine(number, usage, growth, count, text.rstrip()))
    return LineMemory(code.co_name, tuple(lines), result)


def memory_over_time(function: Callable[..., Any], *arguments: Any) -> MemoryOverTime:
    """Call a function once while another process samples resident memory, each hundredth second.

    Raises:
        ProfilingError: if `function` cannot be called.
    """
    check_function("memory_over_time", function)
    errors: list[BaseException] = []

    def run() -> Any:
        # memory_profiler kills every child of this process if the function raises.
        try:
            return function(*arguments)
        except Exception as error:  # noqa: BLE001 - raised again below
            errors.append(error)
            return None

    samples, result = library("memory_profiler").memory_usage(
        (run, (), {}), interval=0.01, timestamps=True, retval=True, max_iterations=1
    )
    if errors:
        raise errors[0]
    start = samples[0][1]
    return MemoryOverTime(
        tuple(when - start for _, when in samples), tuple(used for used, _ in samples), result
    )


def indented(line: object) -> str:
    """Return a line of source whose indentation a page keeps."""
    return str(line).replace(" ", "\u00a0")


def _with_inner(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _with_inner(constant)
