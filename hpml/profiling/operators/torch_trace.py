"""The events of a trace of `torch.profiler`, and the times of its operators.

A trace is what ``export_chrome_trace`` writes: everything that is shown is computed from it, so a
viewer such as Perfetto shows the same numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpml.profiling.call_tree import CallTree, Row, tree_of_rows

STEP = "ProfilerStep#"
"""How the schedule names the steps."""

_ROUNDING = 0.01
"""Microseconds by which two times of a trace may differ because of their digits."""

_ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
_CALLS = ("cpu_op", "user_annotation", "python_function")
_READS = ("aten::_local_scalar_dense", "aten::is_nonzero")
_PYTHON = re.compile(r"(?s)(.+)\((\d+)\): (.+)")


@dataclass
class Operator:
    """An operator's calls in all steps, and its seconds and bytes in them.

    Attributes:
        self_cpu: seconds in the operator itself.
        total_cpu: seconds with the operators that it calls.
        device: seconds of the kernels that it launched.
        allocated: bytes that it allocated itself.
    """

    name: str
    calls: int = 0
    self_cpu: float = 0.0
    total_cpu: float = 0.0
    device: float = 0.0
    allocated: int = 0


@dataclass(frozen=True)
class Trace:
    """What is computed from a trace; all of all recorded steps.

    Attributes:
        steps: the seconds of each step.
        inside: seconds of the steps during which an operator ran.
        operators, parts, kernels: by name; parts are the ranges of `record_function`.
        peak: the most bytes of tensors at a time, above those at the beginning.
        reads: how many single numbers were read from tensors, except during the step of a PyTorch
            optimiser: most read only their own counts of steps, which are on the CPU.
        tree: the call tree of Python's functions (if they were recorded), parts and operators.
    """

    steps: tuple[float, ...]
    inside: float
    operators: Mapping[str, Operator]
    parts: Mapping[str, Operator]
    kernels: Mapping[str, Operator] = field(default_factory=dict)
    peak: int = 0
    reads: int = 0
    tree: CallTree | None = None


def read_trace(content: Mapping[str, Any]) -> Trace:
    """Return what is computed from a trace, given as the value of its JSON."""
    events = [event for event in content["traceEvents"] if event.get("cat")]
    spans = [event for event in events if event["ph"] == "X" and "dur" in event]
    steps = [e for e in spans if e["name"].startswith(STEP) and e["cat"] == "user_annotation"]
    windows = [(step["ts"], step["ts"] + step["dur"]) for step in steps]

    def recorded(event: Mapping[str, Any]) -> bool:
        return any(start <= event["ts"] <= end for start, end in windows)

    calls = [e for e in spans if e["cat"] in _CALLS and recorded(e) and e not in steps]
    operators = [event for event in calls if event["cat"] == "cpu_op"]
    by_name = _operators(operators)
    on_device = [e for e in spans if e["cat"] in _ON_DEVICE]
    names = {e["args"]["External id"]: e["name"] for e in operators if _external(e)}
    kernels: dict[str, Operator] = {}
    for event in on_device:
        kernel = kernels.setdefault(event["name"], Operator(event["name"]))
        kernel.calls += 1
        kernel.device += 1e-6 * event["dur"]
        if (launched_by := names.get(_external(event))) is not None:
            by_name[launched_by].device += 1e-6 * event["dur"]
    peak = _memory([e for e in events if e["name"] == "[memory]"], operators, by_name, windows)
    parts = _operators([event for event in calls if event["cat"] == "user_annotation"])
    inside = _covered((e["ts"], e["ts"] + e["dur"]) for e in operators)
    durations = tuple(1e-6 * step["dur"] for step in steps)
    tree = _tree(calls, windows)
    return Trace(durations, 1e-6 * inside, by_name, parts, kernels, peak, _reads(calls), tree)


def _reads(calls: Sequence[Mapping[str, Any]]) -> int:
    updates = [
        (each["tid"], each["ts"], each["ts"] + each["dur"])
        for each in calls
        if each["cat"] == "user_annotation" and each["name"].startswith("Optimizer.step")
    ]
    found = [(each["tid"], each["ts"]) for each in calls if each["name"] in _READS]
    return sum(
        not any(thread == tid and start <= ts <= end for tid, start, end in updates)
        for thread, ts in found
    )


def _external(event: Mapping[str, Any]) -> Any:
    return event.get("args", {}).get("External id")


def _nested(events: Iterable[Mapping[str, Any]]) -> list[tuple[Mapping[str, Any], int, float]]:
    """Return each event with the index of the event around it, -1 for none, and its own time."""
    rows: list[tuple[Mapping[str, Any], int]] = []
    own: list[float] = []
    by_thread: defaultdict[Any, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        by_thread[event["pid"], event["tid"]].append(event)
    for thread in by_thread.values():
        around: list[int] = []
        for event in sorted(thread, key=lambda e: (e["ts"], -e["dur"])):
            while around:
                outer = rows[around[-1]][0]
                # A part begins inside a call of __enter__, which ends before it.
                if event["ts"] + event["dur"] <= outer["ts"] + outer["dur"] + _ROUNDING:
                    break
                around.pop()
            caller = around[-1] if around else -1
            if caller >= 0:
                own[caller] -= event["dur"]
            around.append(len(rows))
            rows.append((event, caller))
            own.append(event["dur"])
    return [(event, caller, max(0.0, t)) for (event, caller), t in zip(rows, own, strict=True)]


def _operators(events: Sequence[Mapping[str, Any]]) -> dict[str, Operator]:
    found: dict[str, Operator] = {}
    for event, _, own in _nested(events):
        row = found.setdefault(event["name"], Operator(event["name"]))
        row.calls += 1
        row.self_cpu += 1e-6 * own
        row.total_cpu += 1e-6 * event["dur"]
    return found


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return the length of the union of spans."""
    total, last = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, last))
        last = max(last, end)
    return total


def _memory(
    changes: Sequence[Mapping[str, Any]],
    operators: Sequence[Mapping[str, Any]],
    by_name: Mapping[str, Operator],
    windows: Sequence[tuple[float, float]],
) -> int:
    """Add the bytes that each operator allocated, and return the peak above the beginning."""
    marks = [
        {**change, "dur": 0.0, "cat": "[memory]"}
        for change in changes
        if any(start <= change["ts"] <= end for start, end in windows)
    ]
    nested = _nested([*operators, *marks])
    for event, caller, _ in nested:
        size = event["args"].get("Bytes", 0) if event["cat"] == "[memory]" else 0
        if size > 0 and caller >= 0:
            by_name[nested[caller][0]["name"]].allocated += size
    peak = 0
    for device in {(m["args"]["Device Type"], m["args"]["Device Id"]) for m in marks}:
        own = [
            m["args"]
            for m in sorted(marks, key=lambda mark: mark["ts"])
            if (m["args"]["Device Type"], m["args"]["Device Id"]) == device
        ]
        begin = own[0]["Total Allocated"] - own[0]["Bytes"]
        peak = max(peak, *(each["Total Allocated"] - begin for each in own))
    return peak


def _tree(
    events: Sequence[Mapping[str, Any]], windows: Sequence[tuple[float, float]]
) -> CallTree | None:
    """Return the merged call tree of all steps."""
    if not events:
        return None
    total = 1e-6 * sum(end - start for start, end in windows)
    rows: list[Row] = [Row("(recorded steps)", "", total, None, -1)]
    merged: dict[tuple[int, str, str], int] = {}
    place_of: list[int] = []
    for event, caller, own in _nested(events):
        name, place = _name(event)
        above = place_of[caller] if caller >= 0 else 0
        number = merged.setdefault((above, name, place), len(rows))
        if number == len(rows):
            rows.append(Row(name, place, 0.0, 0, above))
        row = rows[number]
        rows[number] = row._replace(own=row.own + 1e-6 * own, calls=(row.calls or 0) + 1)
        if above == 0:
            rows[0] = rows[0]._replace(own=max(0.0, rows[0].own - 1e-6 * event["dur"]))
        place_of.append(number)
    return tree_of_rows(rows)


def _name(event: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name and the place of a call."""
    name = str(event["name"])
    if event["cat"] != "python_function":
        return name, ""
    if match := _PYTHON.fullmatch(name):
        file = match[1].replace("\\", "/").rpartition("/")[2]
        return match[3], f"{file}:{match[2]}"
    # "<built-in method get of dict object at 0x7f…>": the address would separate equal calls.
    return re.sub(r" at 0x[0-9a-f]+", "", name), ""
