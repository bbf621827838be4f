"""`torch.profiler` in one call, with a table that ends with what to try."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base import accelerator, module_calls
from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.page import Page
from hpml.base.tables import Shown, Table, format_bytes, format_seconds, readable
from hpml.profiling.call_tree import CallTree
from hpml.profiling.checks import (
    check_function,
    refuse_a_second_profiler,
    refuse_two_torch_profilers,
)
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import save_tree
from hpml.profiling.icicle import icicle
from hpml.profiling.operators.torch_advice import what_to_try
from hpml.profiling.operators.torch_trace import Operator, Trace, read_trace


@dataclass(frozen=True)
class TorchProfile(Shown):
    """The recorded steps of a program under `torch.profiler`.

    Attributes:
        trace: the times of operators, parts and kernels, see `Trace`.
        json: the trace itself, as Chrome trace JSON.
        result: what the last recorded step returned.
    """

    trace: Trace
    json: str = field(repr=False, compare=False)
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def seconds(self) -> float:
        """The mean seconds of a recorded step, with the profiler's overhead."""
        return sum(self.trace.steps) / len(self.trace.steps)

    @property
    def what_to_try(self) -> tuple[str, ...]:
        """Sentences that each name what was seen, and what to try; at least one."""
        return what_to_try(self.trace)

    @property
    def table(self) -> Table:
        """The 12 operators with most time of their own, and all parts that the program named."""
        return self.operators()

    def operators(self, limit: int | None = 12) -> Table:
        """Return a row per part and operator; calls, times and bytes are those of a mean step.

        Args:
            limit: maximum number of operators; None for all.
        """
        count, total = len(self.trace.steps), sum(self.trace.steps)
        gpu = bool(self.trace.kernels)

        def key(row: Operator) -> float:
            return row.device + row.self_cpu

        found = sorted(self.trace.operators.values(), key=key, reverse=True)

        def row(each: Operator, kind: str) -> list[object]:
            times = [each.self_cpu / count, each.self_cpu / total, each.total_cpu / count]
            device = [each.device / count] if gpu else []
            return [each.name, kind, each.calls / count, *times, *device, each.allocated / count]

        parts = sorted(self.trace.parts.values(), key=lambda each: -each.total_cpu)
        rows = [row(each, "part") for each in parts]
        rows += [row(each, "operator") for each in found[:limit]]
        rest = f" {min(len(found), limit or len(found))} of {len(found)} operators shown."
        columns = ["name", "kind", "calls", "self CPU", "share", "total CPU"]
        columns += [*(["GPU"] if gpu else []), "allocates"]
        times = dict.fromkeys(["self CPU", "total CPU", "GPU"], format_seconds)
        advice = "\n".join(f"Try: {sentence}" for sentence in self.what_to_try)
        return Table(
            columns,
            rows,
            title=f"A step took {format_seconds(self.seconds)}, mean of {count} recorded steps",
            caption=f"Values of a mean step, with the profiler's overhead. Self: without the "
            f"operators that it calls.{rest} At most {format_bytes(self.trace.peak)} of new "
            f"tensors at a time.\n{advice}",
            formats={
                **{name: form for name, form in times.items() if name in columns},
                "calls": lambda calls: readable(calls, 4),
                "share": "{:.1%}".format,
                "allocates": format_bytes,
            },
            code=True,
        )

    def icicle(self) -> Page:
        """Return the picture of all recorded steps; Python's functions need ``stacks=True``."""
        return icicle(self._tree(), title=f"{len(self.trace.steps)} steps by time")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the recorded steps for another viewer, by the end of the file's name.

        - ``.speedscope.json``: the call tree, for https://www.speedscope.app;
        - every other ``.json``: PyTorch's own Chrome trace, for https://ui.perfetto.dev;
        - ``.folded`` or ``.collapsed``: collapsed stacks, in nanoseconds.

        Raises:
            ProfilingError: if the name ends in something else.
            OSError: if it cannot be written; a missing folder is created.
        """
        name = Path(path).name.lower()
        if name.endswith(".json") and not name.endswith(".speedscope.json"):
            write_atomically(path, self.json)
            return Path(path)
        return save_tree(path, self._tree(), "a torch profile", f"{len(self.trace.steps)} steps")

    def _tree(self) -> CallTree:
        if self.trace.tree is None:
            raise ProfilingError(
                object="call tree of a torch profile",
                expected="recorded operators",
                received="none",
                remedy="Call PyTorch's operators in the step.",
            )
        return self.trace.tree


@module_calls.measuring
def profile_torch(
    step: Callable[[], Any],
    *,
    steps: int = 3,
    warm_up: int = 2,
    memory: bool = True,
    stacks: bool = False,
    shapes: bool = False,
) -> TorchProfile:
    """Run a step of a program several times under `torch.profiler`, and keep the last ones.

    The schedule skips one step, traces `warm_up` steps whose events are discarded, then records.
    Name parts of the step with ``with torch.profiler.record_function("my part"):``; each becomes a
    row. A GPU's kernels are recorded if PyTorch can use one. The table ends with what to try.

    Args:
        step: called ``1 + warm_up + steps`` times without arguments: one iteration of a loop.
        steps: the number of recorded steps, at least 1.
        warm_up: the number of traced but discarded steps, at least 1.
        memory: whether to record allocations.
        stacks: whether to record Python's functions as well, for the icicle and its export. Each
            call then costs time, so times are less true.
        shapes: whether the trace has the shapes of the operators' arguments.

    Raises:
        ProfilingError: if `step` cannot be called, a number is too small, or another profiler is
            running.

    Source: https://docs.pytorch.org/docs/stable/profiler.html

    >>> import torch
    >>> layer, x = torch.nn.Linear(64, 64), torch.rand(128, 64)
    >>> found = profile_torch(lambda: layer(x).relu(), steps=2)
    >>> found.trace.operators["aten::linear"].calls, len(found.trace.steps)
    (2, 2)
    >>> len(found.what_to_try) >= 1
    True
    """
    check_function("profile_torch", step)
    for name, value in (("steps", steps), ("warm_up", warm_up)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ProfilingError(
                object=f"{name} of profile_torch",
                expected="an integer of at least 1",
                received=describe(value),
                remedy="Leave it out for the default.",
            )
    refuse_a_second_profiler("profile_torch")
    import torch
    from torch.profiler import schedule, supported_activities

    refuse_two_torch_profilers("profile_torch")
    # Those of the accelerator too, if this build of torch can record it and there is one.
    recorded = f"{accelerator.kind() or 'cpu'}".upper()
    supported = supported_activities()  # type: ignore[no-untyped-call]
    known = [each for each in supported if each.name in ("CPU", recorded)]
    activities = sorted(known, key=lambda each: each.name)
    result: Any = None
    with tempfile.TemporaryDirectory() as folder, without_kineto_log():
        path = Path(folder, "trace.json")
        profiler = torch.profiler.profile(
            activities=activities,
            schedule=schedule(wait=1, warmup=warm_up, active=steps, repeat=1),
            on_trace_ready=lambda ready: ready.export_chrome_trace(str(path)),
            profile_memory=memory,
            with_stack=stacks,
            record_shapes=shapes,
            acc_events=True,  # otherwise PyTorch warns of a change of its default
        )
        with profiler:
            for _ in range(1 + warm_up + steps):
                result = step()
                profiler.step()
        text = path.read_text(encoding="utf-8", errors="replace")
    return TorchProfile(read_trace(json.loads(text, strict=False)), text, result)


@contextlib.contextmanager
def without_kineto_log() -> Iterator[None]:
    """Switch off the log lines of PyTorch's tracing library, which it reads from a variable."""
    before = os.environ.get("KINETO_LOG_LEVEL")
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("KINETO_LOG_LEVEL", None)
