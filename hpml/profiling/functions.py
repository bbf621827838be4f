"""`cProfile` with the table of `pstats`, a picture and a file."""

from __future__ import annotations

import cProfile
import marshal
import os
import pstats
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base import module_calls
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.profiling.call_tree import (
    CallTree,
    Entry,
    Function,
    short_name,
    short_place,
    tree_of_profile,
)
from hpml.profiling.checks import check_function, refuse_a_second_profiler
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import tree_format
from hpml.profiling.icicle import called, icicle

_SORTS: dict[str, Callable[[Entry], float]] = {
    "tottime": lambda entry: entry[2],
    "cumtime": lambda entry: entry[3],
    "ncalls": lambda entry: entry[1],
}
_LAST_CALL: Function = ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>")


@dataclass(frozen=True)
class FunctionProfile:
    """The result of `cProfile` for one run.

    Attributes:
        stats: calls, times and callers of each function, in the format of `pstats.Stats.stats`.
        result: the function's result; None for a profile from a file.
    """

    stats: Mapping[Function, Entry] = field(repr=False)
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def calls(self) -> int:
        """All function calls."""
        return sum(entry[1] for entry in self.stats.values())

    @property
    def primitive_calls(self) -> int:
        """The calls without recursive ones."""
        return sum(entry[0] for entry in self.stats.values())

    @property
    def seconds(self) -> float:
        """The seconds of the run, including the profiler's overhead."""
        return sum(entry[2] for entry in self.stats.values())

    @property
    def tree(self) -> CallTree:
        """The call tree, an estimate: cProfile stores pairs of caller and function, no call paths.

        Below a function with several callers, times are divided in proportion; recursive calls have
        no frame. Such frames are marked as estimated, without a number of calls.
        `hpml.profiling.sample` sees the call paths themselves.
        """
        # Python 3.13 gives the call that ends the profile a time: it is no part of the run.
        return tree_of_profile({f: entry for f, entry in self.stats.items() if f != _LAST_CALL})

    def table(self, sort: str = "tottime", search: str = "", limit: int | None = 20) -> Table:
        """Return the table that `pstats` prints.

        Args:
            sort: ``"tottime"``, ``"cumtime"`` or ``"ncalls"``, the largest first.
            search: show only functions whose row contains this text.
            limit: maximum number of rows; None for all.
        """
        if sort not in _SORTS:
            raise ProfilingError(
                object="sort of a profile",
                expected=f"one of {', '.join(map(repr, _SORTS))}",
                received=describe(sort),
                remedy="Pass one of these.",
            )
        order = sorted(self.stats.items(), key=lambda item: -_SORTS[sort](item[1]))
        rows = [_row(function, entry) for function, entry in order]
        rows = [row for row in rows if search.lower() in str(row[-1]).lower()]
        shown = rows[:limit]
        calls = f"{self.calls:,} function calls"
        if self.calls != self.primitive_calls:
            calls += f" ({self.primitive_calls:,} primitive calls)"
        rest = f"; {len(shown)} of {len(rows)} functions shown" if len(shown) < len(rows) else ""
        columns = ["ncalls", "tottime", "percall", "cumtime", "per primitive call"]
        return Table(
            [*columns, "filename:lineno(function)"],
            shown,
            title=f"{calls} in {self.seconds:.3f} seconds",
            caption=f"Ordered by {sort}{rest}. Times in seconds, including the profiler's own.",
            align=["right"] * 5 + ["left"],
            formats=dict.fromkeys(columns[1:], "{:.3f}".format),
            code=True,
        )

    def icicle(self) -> Page:
        """Return the picture of `tree`: each function below its caller, as wide as its time."""
        # The tree only estimates own times (divided among callers, without recursion).
        own: dict[str, float] = {}
        for (file, line, name), entry in self.stats.items():
            key = called(short_name(name), short_place(file, line))
            own[key] = own.get(key, 0.0) + entry[2]
        return icicle(self.tree, unit="s", own=own)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file in the format that the end of its name says, and return its path.

        - ``.speedscope.json`` (or ``.json``): the `tree` for https://www.speedscope.app;
        - ``.folded`` or ``.collapsed``: the `tree` as collapsed stacks, in nanoseconds;
        - every other name, such as ``run.prof``: for `python -m pstats` and `snakeviz`. Only this
          format has the numbers of calls, and `read_profile` reads it again.

        Raises:
            OSError: if it cannot be written; a missing folder is created.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = profile(sorted, [3, 1, 2]).save(os.path.join(folder, "run.speedscope.json"))
        ...     path.name
        'run.speedscope.json'
        """
        writer = tree_format(path)
        if writer is not None:
            title = f"{Path(path).name}, cProfile: call paths are estimates"
            write_atomically(path, writer(self.tree, title))
        else:
            write_atomically(path, marshal.dumps(dict(self.stats)))
        return Path(path)

    def __str__(self) -> str:
        return str(self.table())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        table, drawn = self.table(), self.icicle()
        return {"text/plain": str(table), "text/html": drawn.html + table._repr_html_()}


@module_calls.measuring
def profile(function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> FunctionProfile:
    """Call a function once under `cProfile`.

    The profiler records every call and return of a function, also of built-in ones, and slows each
    one down: its times show where to optimise, not how fast the program is. A call of a type, such
    as `int`, is slowed down too, but not recorded. Only the calling thread is profiled.

    Args:
        function: called with `arguments` and `keywords`; its result is kept in the profile.

    Raises:
        ProfilingError: if `function` cannot be called, a profiler is already running, or the
            function set its own profiling hook, which ended the profile.

    Source: https://docs.python.org/3/library/profile.html

    >>> found = profile(sorted, [3, 1, 2])
    >>> found.result, found.calls
    ([1, 2, 3], 2)
    """
    check_function("profile", function)
    refuse_a_second_profiler("profile")
    profiler = cProfile.Profile()
    monitoring = getattr(sys, "monitoring", None)
    profiler.enable()
    try:
        if monitoring is not None:
            _limit_to_this_thread(monitoring)
            profiler.clear()
        result = function(*arguments, **keywords)
    except ValueError as error:
        if error.args == _refused_args():
            raise _own_profiler(function) from error
        raise
    finally:
        profiler.disable()
    stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    if _LAST_CALL not in stats:
        raise _own_profiler(function)
    return FunctionProfile(dict(stats), result)


def _own_profiler(function: object) -> ProfilingError:
    return ProfilingError(
        f"{describe(function)} set its own hook (sys.setprofile, cProfile), which a profile does "
        "not allow.",
        object=describe(function),
        expected="a program that sets no hook of its own (sys.setprofile, cProfile)",
        received="one that did",
        remedy="Use hpml.profiling.sample(f, x) for a program that profiles itself.",
    )


def _refused_args() -> tuple[object, ...] | None:
    """Return the arguments of the error with which this Python refuses a second `cProfile`."""
    if sys.version_info < (3, 12):
        return None  # a second one replaces the first
    second = cProfile.Profile()
    try:
        second.enable()
    except ValueError as error:
        return error.args
    second.disable()
    return None


def read_profile(path: str | os.PathLike[str]) -> FunctionProfile:
    """Read what `python -m cProfile -o FILE` or `save` wrote; `pstats` raises its own errors."""
    return FunctionProfile(pstats.Stats(os.fspath(path)).stats)  # type: ignore[attr-defined]


def _limit_to_this_thread(monitoring: Any) -> None:
    """Limit `cProfile` to this thread."""
    get_ident, thread = threading.get_ident, threading.get_ident()

    def limited(callback: Callable[..., object]) -> Callable[..., None]:
        def handle(*event: object) -> None:
            if get_ident() == thread:
                callback(*event)

        return handle

    for event in vars(monitoring.events).values():
        if event.bit_count() == 1:
            registered = monitoring.register_callback(monitoring.PROFILER_ID, event, None)
            if registered is not None:
                monitoring.register_callback(monitoring.PROFILER_ID, event, limited(registered))


def _row(function: Function, entry: Entry) -> list[object]:
    primitive, calls, own, total, _ = entry
    place = short_place(*function[:2])
    counted = f"{calls}/{primitive}" if calls != primitive else str(calls)
    called = f"{place}({function[2]})" if place else "{" + function[2].strip("<>") + "}"
    # Without a primitive call the first call was not seen, and its time is unknown.
    per_primitive = total / primitive if primitive else 0.0
    return [counted, own, own / calls if calls else 0.0, total, per_primitive, called]
