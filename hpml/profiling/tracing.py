"""`torch.profiler` with its result in the page: a table, a time line, and a file for Perfetto."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hpml.base import charts, module_calls
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.page import Page
from hpml.base.tables import Table, format_seconds
from hpml.profiling.checks import check_function, in_existing_folder
from hpml.profiling.errors import ProfilingError

_ROWS = 12


class TraceEvent(NamedTuple):
    """An operator's execution: seconds since the first event, its thread, and how deep it lies."""

    name: str
    start: float
    seconds: float
    thread: int
    depth: int


@dataclass(frozen=True)
class OperatorTrace:
    """What `torch.profiler` recorded in one run.

    Attributes:
        events: every operator's execution, in the order of their beginning.
        chrome: the trace as JSON, as Chrome and Perfetto read it.
        result: what the function returned.
    """

    events: tuple[TraceEvent, ...] = field(repr=False)
    chrome: bytes = field(repr=False)
    result: Any = field(default=None, repr=False, compare=False)

    def table(self, limit: int | None = 15) -> Table:
        """Return calls and time of each operator, most time of its own first.

        Args:
            limit: at most so many rows; None for all.
        """
        calls: defaultdict[str, int] = defaultdict(int)
        own: defaultdict[str, float] = defaultdict(float)
        total: defaultdict[str, float] = defaultdict(float)
        above: dict[int, list[TraceEvent]] = defaultdict(list)
        for event in self.events:
            stack = above[event.thread]
            del stack[event.depth :]
            calls[event.name] += 1
            own[event.name] += event.seconds
            # An operator that calls itself has its time once.
            total[event.name] += 0 if any(e.name == event.name for e in stack) else event.seconds
            if stack:
                own[stack[-1].name] -= event.seconds
            stack.append(event)
        whole = sum(own.values())
        rows = [[name, calls[name], own[name], own[name] / whole, total[name]] for name in own]
        rows.sort(key=lambda row: -float(str(row[2])))
        return Table(
            ["operator", "calls", "own", "share", "with its own calls"],
            rows[:limit],
            title=f"{len(self.events):,} operators in {format_seconds(whole)}",
            caption="Operators of other Python threads are not included.",
            formats={
                "own": format_seconds,
                "share": "{:.1%}".format,
                "with its own calls": format_seconds,
            },
            code=True,
        )

    def timeline(self, start: float = 0.0) -> Page:
        """Return the picture of when the operators that took longest ran, a row each.

        Args:
            start: seconds after the first event.

        Raises:
            ProfilingError: if no operator ran after that.
        """
        end = max(event.start + event.seconds for event in self.events)
        seen = [event for event in self.events if event.start + event.seconds > start]
        if not seen:
            raise ProfilingError(
                f"No operator ran after {format_seconds(start)}; the trace is "
                f"{format_seconds(end)} long."
            )
        taken: defaultdict[str, float] = defaultdict(float)
        for event in seen:
            taken[event.name] += event.seconds
        longest = sorted(taken, key=lambda name: -taken[name])[:_ROWS]
        rows: dict[str, list[charts.Interval]] = {}
        for event in seen:
            if event.name in longest:
                # aten::mm, and autograd::engine::evaluate_function: AddmmBackward0
                name = event.name.rpartition("::")[2].removeprefix("evaluate_function: ")
                begin = 1e3 * (event.start - start)
                rows.setdefault(name, []).append((begin, begin + 1e3 * event.seconds))
        text = f"{len(seen)} operators in {format_seconds(end - start)}"
        chart = charts.timeline(rows, title=f"Time line: {text}", x="milliseconds")
        return charts.show(chart, width=9.0, text=f"{text}; a row each of {', '.join(rows)}")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the trace as JSON that https://ui.perfetto.dev and chrome://tracing open.

        Raises:
            OSError: if its folder is missing or it cannot be written; an older file then stays as
                it was.
        """
        path = in_existing_folder(path)
        write_atomically(path, self.chrome)
        return path

    def __str__(self) -> str:
        return str(self.table())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        table = self.table()
        bundle = self.timeline().bundle()
        return {
            "text/plain": str(table),
            "text/html": bundle["text/html"] + table._repr_html_(),
            "image/png": bundle["image/png"],
        }


@module_calls.measuring
def trace(function: Callable[..., Any], *arguments: Any) -> OperatorTrace:
    """Call a function once and record when each of PyTorch's operators began and ended.

    Seen are the operators of the thread that calls `trace`, and the backward passes that it starts;
    operators that other threads of Python run are not. On a GPU the kernels are in the saved file;
    the table and the time line are those of the CPU.

    Args:
        function: called with `arguments`.

    Raises:
        ProfilingError: if `function` cannot be called, another torch profiler is running, or no
            operator was executed.

    Source: https://docs.pytorch.org/docs/stable/profiler.html

    >>> import torch
    >>> found = trace(torch.relu, torch.zeros(4))
    >>> sorted(found.table().column("operator"))
    ['aten::clamp_min', 'aten::relu']
    """
    import torch
    from torch import profiler

    check_function("trace", function)
    if torch.autograd._profiler_enabled():  # type: ignore[attr-defined]
        raise ProfilingError(
            "trace was called while another torch profiler is running; stop that one first."
        )
    activities = [profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(profiler.ProfilerActivity.CUDA)
    with quiet_recorder(), profiler.profile(activities=activities, acc_events=True) as recorded:
        result = function(*arguments)
    events = _events(recorded)
    if not events:
        raise ProfilingError(
            f"{describe(function)} executed no operator of PyTorch; profile Python with "
            "hpml.profiling.profile."
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        recorded.export_chrome_trace(str(file))
        chrome = file.read_bytes()
    return OperatorTrace(events, chrome, result)


@contextlib.contextmanager
def quiet_recorder() -> Iterator[None]:
    """Keep the recorder from writing its own log into the student's cell."""
    before = os.environ.get("KINETO_LOG_LEVEL")
    os.environ["KINETO_LOG_LEVEL"] = before or "99"
    try:
        yield
    finally:
        if before is None:
            del os.environ["KINETO_LOG_LEVEL"]


def _events(recorded: Any) -> tuple[TraceEvent, ...]:
    """Return the operators of the CPU with their depth: how many others of the thread are open."""
    spans = sorted(
        (event.time_range.start, -event.time_range.end, event.thread, event.name)
        for event in recorded.events()
        if str(event.device_type).endswith("CPU") and not event.is_user_annotation
    )
    first = spans[0][0] if spans else 0
    open_until: defaultdict[int, list[float]] = defaultdict(list)
    found = []
    for start, minus_end, thread, name in spans:
        ends = open_until[thread]
        while ends and ends[-1] <= start:
            ends.pop()
        found.append(
            TraceEvent(name, 1e-6 * (start - first), 1e-6 * (-minus_end - start), thread, len(ends))
        )
        ends.append(-minus_end)
    return tuple(found)
