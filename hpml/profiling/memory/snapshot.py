"""What allocated the memory of tensors: a GPU's from PyTorch's record, a CPU's from a trace."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from hpml.base import style
from hpml.base.charts import Line, lines, show
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_bytes
from hpml.profiling.checks import check_function, refuse_two_torch_profilers
from hpml.profiling.errors import ProfilingError
from hpml.profiling.memory.cpu_allocations import record
from hpml.profiling.torch_private import private

NOT_RECORDED = (
    "**Not yet recorded.** A snapshot of a GPU's memory needs an NVIDIA GPU that PyTorch can use. "
    'With `device="cpu"` the allocations of the CPU are recorded.'
)

_MOST_EVENTS = 100_000
_OWNER = {
    "cuda": "the innermost line outside of PyTorch",
    "cpu": "the outermost operator that was running, and the part of the program",
}


@dataclass(frozen=True)
class MemorySnapshot:
    """The allocations of a run on a GPU or a CPU; without a GPU, nothing is recorded of it.

    Attributes:
        snapshot: what PyTorch recorded, as `torch.cuda.memory` returns it; None without a GPU.
        start: the bytes that were allocated before the run. On a CPU those of the call before it,
            because PyTorch does not know what else is allocated.
        parts: name, begin and end in microseconds of each range of `record_function`, on a CPU.
    """

    snapshot: Mapping[str, Any] | None = field(repr=False)
    start: int = 0
    result: Any = field(default=None, repr=False, compare=False)
    device: Literal["cuda", "cpu"] = "cuda"
    parts: tuple[tuple[str, float, float], ...] = ()

    @property
    def recorded(self) -> bool:
        """Whether there is a record."""
        return self.snapshot is not None

    @property
    def allocated(self) -> tuple[tuple[float, int], ...]:
        """Seconds since the first event, and the bytes allocated after each event."""
        total, found = self.start, []
        events = list(self._events())
        for event in events:
            total += event["size"] if event["action"] == "alloc" else -event["size"]
            found.append((1e-6 * (event["time_us"] - events[0]["time_us"]), total))
        return tuple(found)

    @property
    def peak(self) -> int:
        """The most bytes allocated at a time."""
        return max((size for _, size in self.allocated), default=self.start)

    @property
    def part_at_peak(self) -> str:
        """The innermost `record_function` range in which the peak is reached; "" if none."""
        if not self.allocated:
            return ""
        reached = next(time for time, size in self.allocated if size == self.peak)
        now = 1e6 * reached + next(iter(self._events()))["time_us"]
        around = [(end - begin, name) for name, begin, end in self.parts if begin <= now <= end]
        return min(around)[1] if around else ""

    def table(self, limit: int = 10) -> Table:
        """Return the lines of the program whose blocks were allocated at the peak.

        Args:
            limit: maximum number of rows.
        """
        self._check()
        rows = Counter(self._places_at_the_peak()).most_common()
        blocks = Counter(place for place, _ in self._blocks_at_the_peak())
        return Table(
            ["allocated by", "blocks", "bytes"],
            [[place, blocks[place], size] for place, size in rows[:limit]],
            title=f"At the peak, {format_bytes(self.peak)}",
            caption=f"{format_bytes(self.start)} were allocated before the run. "
            f"A block belongs to {_OWNER[self.device]}.",
            formats={"bytes": format_bytes},
            code=True,
        )

    def draw(self) -> Page:
        """Draw the allocated memory over time; without a record, say so."""
        if not self.recorded:
            return say(NOT_RECORDED)
        points = self.allocated or ((0.0, self.start),)
        # A block is there from one event to the next: steps, not slopes.
        x = [1e3 * time for time, _ in points for _ in (0, 1)][1:]
        y = [size / 2**20 for _, size in points for _ in (0, 1)][:-1]
        text = f"from {format_bytes(self.start)} to a peak of {format_bytes(self.peak)}"
        name, colour = ("other", style.MUTED) if self.parts else ("allocated", style.GPU)
        series = [Line(name, x, y, colour=colour, text=text), *self._lines_of_parts(x, y)]
        title = "Memory of the GPU" if self.device == "cuda" else "Memory of tensors, CPU"
        chart = lines(series, title=title, x="milliseconds", y="MiB", ylim=(0, None))
        return show(chart, width=9.0)

    def _lines_of_parts(self, x: Sequence[float], y: Sequence[float]) -> list[Line]:
        """Return the piece of the line during each part."""
        first = next(iter(self._events()), {"time_us": 0.0})["time_us"]
        found = []
        for name, begin, end in self.parts:
            inside = [n for n, at in enumerate(x) if begin <= first + 1e3 * at <= end]
            if inside:
                highest = format_bytes(round(2**20 * max(y[n] for n in inside)))
                xs, ys = [x[n] for n in inside], [y[n] for n in inside]
                found.append(Line(name, xs, ys, text=f"at most {highest}"))
        return found

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file ``NAME.pickle`` for https://docs.pytorch.org/memory_viz.

        Raises:
            ProfilingError: if there is no record of a GPU, or the name does not end in
                ``.pickle``.
            OSError: if it cannot be written; a missing folder is created.
        """
        self._check()
        if self.device == "cpu":
            raise ProfilingError(
                object="memory snapshot to save",
                expected="one of a GPU: PyTorch's viewer shows no other",
                received="one of the CPU",
                remedy="Show it here: draw() and table().",
            )
        if Path(path).suffix.lower() != ".pickle":
            raise ProfilingError(
                object="file name of a memory snapshot",
                expected="one that ends in .pickle",
                received=repr(Path(path).name),
                remedy="Name the file snapshot.pickle.",
            )
        write_atomically(path, pickle.dumps(self.snapshot))
        return Path(path)

    def _check(self) -> None:
        if not self.recorded:
            raise ProfilingError(
                object="memory snapshot",
                expected="one that was recorded on a GPU",
                received="none: not yet recorded",
                remedy="Run it where torch.cuda.is_available() is True.",
            )

    def _events(self) -> Iterator[Mapping[str, Any]]:
        """Yield the allocations and frees of the first device that has any."""
        traces = (self.snapshot or {}).get("device_traces", [])
        events: Sequence[Mapping[str, Any]] = next((trace for trace in traces if trace), [])
        return (event for event in events if event["action"] in ("alloc", "free_completed"))

    def _blocks_at_the_peak(self) -> list[tuple[str, int]]:
        """Return the place and size of each block of the run that is allocated at the peak."""
        alive: dict[int, tuple[str, int]] = {}
        total, most, at_peak = self.start, self.start, list[tuple[str, int]]()
        for event in self._events():
            if event["action"] == "alloc":
                alive[event["addr"]] = (_place(event), event["size"])
                total += event["size"]
            else:
                alive.pop(event["addr"], None)
                total -= event["size"]
            if total > most:
                most, at_peak = total, list(alive.values())
        return at_peak

    def _places_at_the_peak(self) -> dict[str, int]:
        found: Counter[str] = Counter()
        for place, size in self._blocks_at_the_peak():
            found[place] += size
        return found

    def __str__(self) -> str:
        return str(self.table()) if self.recorded else self.draw().plain

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        drawn = self.draw().bundle()
        if not self.recorded:
            return drawn
        return {**drawn, "text/html": drawn["text/html"] + self.table()._repr_html_()}


def _place(event: Mapping[str, Any]) -> str:
    """Return the innermost line of a block's stack that is outside of PyTorch, or its operator."""
    if "place" in event:
        return str(event["place"])
    frames = [f for f in event.get("frames", []) if f["filename"].endswith(".py") or f["line"]]
    own = [frame for frame in frames if "/torch/" not in frame["filename"].replace("\\", "/")]
    for frame in own or frames:
        file = frame["filename"].replace("\\", "/").rpartition("/")[2]
        return f"{frame['name']} ({file}:{frame['line']})"
    return "(no stack)"


def memory_snapshot(
    function: Callable[..., Any], /, *arguments: Any, device: Literal["cuda", "cpu"] = "cuda"
) -> MemorySnapshot:
    """Call a function and record each allocation of tensors, with what made it.

    The result draws the allocated memory over time, with a table of what is allocated at the peak.

    Args:
        function: called with `arguments`; run it once before, so that the record has no warm-up.
        device: ``"cuda"`` records the GPU's memory and the line of each block. Without a GPU the
            function is not called, and the result says "not yet recorded". ``"cpu"`` records the
            CPU's memory through `torch.profiler`: the function is called twice, the second call is
            recorded, and each block has its operator. Name the parts of the function with
            `torch.profiler.record_function`.

    Raises:
        ProfilingError: if `function` cannot be called, the device is another one, or
            `torch.profiler` is running already.

    Source: https://docs.pytorch.org/docs/stable/torch_cuda_memory.html

    >>> import torch
    >>> found = memory_snapshot(lambda: torch.ones(10))
    >>> found.recorded == torch.cuda.is_available()
    True
    >>> memory_snapshot(lambda: torch.ones(2**18) + 1, device="cpu").peak // 2**20
    2
    """
    check_function("memory_snapshot", function)
    if device not in _OWNER:
        raise ProfilingError(
            object="device of memory_snapshot",
            expected='"cuda" or "cpu"',
            received=describe(device),
            remedy="Pass one of them.",
        )
    if device == "cpu":
        refuse_two_torch_profilers("memory_snapshot")
        found = record(function, arguments)
        snapshot = {"segments": [], "device_traces": [list(found.events)]}
        return MemorySnapshot(snapshot, found.start, found.result, "cpu", found.parts)
    return _of_gpu(function, arguments)


def _of_gpu(function: Callable[..., Any], arguments: Sequence[Any]) -> MemorySnapshot:
    import torch

    if not torch.cuda.is_available():
        return MemorySnapshot(None)
    remember = private("torch.cuda.memory._record_memory_history")
    torch.cuda.synchronize()
    start = torch.cuda.memory_allocated()
    remember(max_entries=_MOST_EVENTS)
    try:
        result = function(*arguments)
        torch.cuda.synchronize()
        snapshot = private("torch.cuda.memory._snapshot")()
    finally:
        remember(enabled=None)
    return MemorySnapshot(snapshot, start, result)
