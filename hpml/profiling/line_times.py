"""Time line by line, with the library `line_profiler`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hpml.base import module_calls
from hpml.base.errors import describe
from hpml.base.optional import import_optional
from hpml.base.tables import Shown, Table, format_seconds
from hpml.profiling.checks import refuse_a_second_profiler, traceable
from hpml.profiling.errors import ProfilingError


class LineTime(NamedTuple):
    """A line of a function: how often it ran, and its seconds with all that it called."""

    number: int
    hits: int | None
    seconds: float | None
    text: str


@dataclass(frozen=True)
class LineTimes(Shown):
    """The time in each line of a function, in one run, and the function's result.

    Attributes:
        name: the function's name.
        lines: a `LineTime` per line; lines that did not run have None as values.
    """

    name: str
    lines: tuple[LineTime, ...]
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def seconds(self) -> float:
        """The sum over all lines, with the profiler's overhead."""
        return sum(line.seconds or 0.0 for line in self.lines)

    @property
    def table(self) -> Table:
        """The lines, in the columns of line_profiler."""
        total = self.seconds or 1.0
        rows = []
        for number, hits, seconds, text in self.lines:
            measured: list[float | None] = [None, None, None]
            if hits and seconds is not None:
                measured = [seconds, seconds / hits, seconds / total]
            rows.append([number, hits, *measured, text])
        return Table(
            ["Line #", "Hits", "Time", "Per Hit", "% Time", "Line Contents"],
            rows,
            title=f"Time of {self.name}, line by line: {format_seconds(self.seconds)}",
            caption="A line's time includes the functions that it calls, and the profiler's "
            "overhead for each line, which makes many short lines look expensive.",
            align=["right"] * 5 + ["left"],
            formats={
                "Time": format_seconds,
                "Per Hit": format_seconds,
                "% Time": "{:.1%}".format,
                "Line Contents": lambda line: str(line).replace(" ", "\u00a0"),  # keeps indents
            },
            code=True,
        )


@module_calls.measuring
def time_lines(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> LineTimes:
    """Call a function once and time each of its lines, with `line_profiler`.

    All calls of the function during the run count, also recursive ones, whose time is then part of
    several lines. The functions that it calls are not shown line by line: time them as well.

    Args:
        function: written in Python, in a file or in a cell.

    Raises:
        ProfilingError: if `function` is not written in Python, its source is unknown, another
            profiler or tracer (a debugger, coverage) is running or is started by the program, or
            line_profiler is not installed.

    Source: https://kernprof.readthedocs.io

    >>> def squares(n):
    ...     found = []
    ...     for k in range(n):
    ...         found.append(k * k)
    ...     return found
    >>> timed = time_lines(squares, 3)
    >>> timed.result, [line.hits for line in timed.lines]
    ([0, 1, 4], [None, 1, 4, 3, 1])
    """
    code, source, first = traceable("time_lines", function)
    refuse_a_second_profiler("time_lines")
    library = import_optional("line_profiler")
    if isinstance(library, str):
        raise ProfilingError(
            object="time_lines",
            expected="the package line_profiler",
            received=library,
            remedy="Run `pip install line_profiler` and restart the kernel.",
        )
    plain: Any = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)  # of a method
    profiler = library.LineProfiler()
    profiler.add_function(plain)  # appends instructions that do nothing, to know its code again
    profiler.enable()
    hook = sys.gettrace()
    try:
        result = function(*arguments, **keywords)
        followed = sys.gettrace() is hook
    except ValueError as error:
        # Python 3.12 and later have one place for profilers, which cProfile asks for.
        if sys.version_info >= (3, 12) and "profiling tool" in str(error):
            raise _own_profiler(function) from error
        raise
    finally:
        profiler.disable()
        plain.__code__ = code
    if not followed:
        raise _own_profiler(function)
    stats = profiler.get_stats()
    measured = {
        number: (hits, units * stats.unit)
        for (_, start, _), rows in stats.timings.items()
        if start == code.co_firstlineno
        for number, hits, units in rows
    }
    lines = tuple(
        LineTime(number, *measured.get(number, (None, None)), text.rstrip())
        for number, text in enumerate(source, first)
    )
    return LineTimes(code.co_name, lines, result)


def _own_profiler(function: object) -> ProfilingError:
    return ProfilingError(
        object="time_lines",
        expected="a program without a profiler or tracer of its own",
        received=f"{describe(function)}, which sets one",
        remedy="Call it without, or use hpml.profiling.sample, which needs no hook.",
    )
