"""Each allocation of the CPU's tensors in a call, from a trace of `torch.profiler`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpml.profiling.operators.torch_profile import without_kineto_log

_RECORDED = "memory_snapshot"  # the range of the recorded call
_ENGINE = "autograd::engine::evaluate_function: "


@dataclass(frozen=True)
class Allocations:
    """The events of a call, as PyTorch's record of a GPU has them.

    Attributes:
        events: with ``action``, ``addr``, ``size``, ``time_us``, and the ``place``: the operator
            and the part of the program.
        parts: name, begin and end in microseconds of each range of `record_function`.
        start: the bytes that the call before it left allocated.
    """

    events: tuple[Mapping[str, Any], ...]
    parts: tuple[tuple[str, float, float], ...]
    start: int
    result: Any


def record(function: Callable[..., Any], arguments: Sequence[Any]) -> Allocations:
    """Call a function twice and return the allocations of the second call."""
    from torch.profiler import ProfilerActivity, profile, record_function

    with tempfile.TemporaryDirectory() as folder, without_kineto_log():
        path = Path(folder, "trace.json")
        activities = [ProfilerActivity.CPU]
        with profile(activities=activities, profile_memory=True, acc_events=True) as profiler:
            # What the first call leaves is known when the second one frees it.
            function(*arguments)
            with record_function(_RECORDED):
                result = function(*arguments)
        profiler.export_chrome_trace(str(path))
        text = path.read_text(encoding="utf-8", errors="replace")
    return read(json.loads(text, strict=False)["traceEvents"], result)


def read(trace: Iterable[Mapping[str, Any]], result: Any = None) -> Allocations:
    """Return the allocations in the range of the recorded call, and what was there before."""
    trace = [event for event in trace if "ts" in event]
    spans = [event for event in trace if event.get("ph") == "X" and "dur" in event]
    (whole,) = (event for event in spans if event["name"] == _RECORDED)
    operators = [event for event in spans if event.get("cat") == "cpu_op"]
    parts = [e for e in spans if e.get("cat") == "user_annotation" and e is not whole]
    memory = sorted((e for e in trace if e["name"] == "[memory]"), key=lambda e: e["ts"])
    before = [event["args"]["Bytes"] for event in memory if event["ts"] < whole["ts"]]
    events = tuple(
        {
            "action": "alloc" if event["args"]["Bytes"] > 0 else "free_completed",
            "addr": event["args"]["Addr"],
            "size": abs(event["args"]["Bytes"]),
            "time_us": event["ts"],
            "place": _place(event["ts"], operators, parts),
        }
        for event in memory
        if _inside(event["ts"], whole) and event["args"]["Device Type"] == 0
    )
    ranges = [(e["name"], e["ts"], e["ts"] + e["dur"]) for e in parts if _inside(e["ts"], whole)]
    return Allocations(events, tuple(ranges), sum(before), result)


def _place(
    time: float, operators: Sequence[Mapping[str, Any]], parts: Sequence[Mapping[str, Any]]
) -> str:
    """Return the outermost operator at a time, and the innermost part."""
    running = [event for event in operators if _inside(time, event)]
    around = [event for event in parts if _inside(time, event)]
    operator = max(running, key=lambda event: event["dur"])["name"] if running else "(no operator)"
    part = min(around, key=lambda event: event["dur"])["name"] if around else ""
    return operator.removeprefix(_ENGINE) + (f", {part}" if part else "")


def _inside(time: float, span: Mapping[str, Any]) -> bool:
    return bool(span["ts"] <= time <= span["ts"] + span["dur"])
