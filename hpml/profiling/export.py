"""Call trees and records in the file formats of other viewers.

- speedscope's JSON (https://www.speedscope.app), which the page draws as a flame graph;
- collapsed stacks, one line per stack, for ``flamegraph.pl`` and its many successors;
- Chrome trace JSON, for Perfetto (https://ui.perfetto.dev) and ``chrome://tracing``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import hpml
from hpml.base.files import write_atomically
from hpml.profiling.call_tree import CallTree
from hpml.profiling.errors import ProfilingError

SPEEDSCOPE_SCHEMA = "https://www.speedscope.app/file-format-schema.json"

Event = Mapping[str, Any]
"""An event of a Chrome trace."""


def speedscope(trees: Mapping[str, CallTree]) -> str:
    """Return call trees by name, whose weights are seconds, as one file of speedscope.

    Source: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
    """
    numbers: dict[tuple[str, str], int] = {}
    profiles = []
    for name, tree in trees.items():
        samples: list[list[int]] = []
        weights: list[float] = []
        for stack, own in _stacks(tree):
            samples.append([numbers.setdefault(frame, len(numbers)) for frame in stack])
            weights.append(own)
        times = {"unit": "seconds", "startValue": 0, "endValue": sum(weights)}
        stacks = {"samples": samples, "weights": weights}
        profiles.append({"type": "sampled", "name": name, **times, **stacks})
    content = {
        "$schema": SPEEDSCOPE_SCHEMA,
        "name": ", ".join(trees),
        "exporter": f"hpml@{hpml.__version__}",
        "activeProfileIndex": 0,
        "shared": {"frames": [_speedscope_frame(*frame) for frame in numbers]},
        "profiles": profiles,
    }
    return json.dumps(content, separators=(",", ":"))


def _speedscope_frame(name: str, place: str) -> dict[str, str | int]:
    file, _, line = place.rpartition(":")
    if not (file and line.isdigit()):
        return {"name": name, "file": place} if place else {"name": name}
    return {"name": name, "file": file, "line": int(line)}


def collapsed(tree: CallTree) -> str:
    """Return a call tree as collapsed stacks, with whole nanoseconds as weights.

    Source: https://github.com/brendangregg/FlameGraph
    """
    lines = [
        f"{';'.join(stack_text(*frame) for frame in stack)} {round(1e9 * own)}"
        for stack, own in _stacks(tree)
        if round(1e9 * own) > 0
    ]
    return "".join(f"{line}\n" for line in lines)


def stack_text(name: str, place: str) -> str:
    """Return a frame of a collapsed stack."""
    shown = f"{name} ({place})" if place else name
    # The format has no escapes: a semicolon ends a frame, a line ends a stack.
    return " ".join(shown.replace(";", ":").split())


def _stacks(tree: CallTree) -> Iterator[tuple[tuple[tuple[str, str], ...], float]]:
    """Yield the call path of each frame with a weight of its own, from the outermost call."""
    path: list[tuple[str, str]] = []
    for depth, frame in tree.walk():
        del path[depth:]
        path.append((frame.name, frame.place))
        if frame.own > 0:
            yield tuple(path), frame.own


_TREES: Mapping[str, Callable[[CallTree, str], str]] = {
    ".json": lambda tree, name: speedscope({name: tree}),
    ".folded": lambda tree, _: collapsed(tree),
    ".collapsed": lambda tree, _: collapsed(tree),
}
"""The writers of call trees, by the end of a file's name."""


def tree_format(path: str | os.PathLike[str]) -> Callable[[CallTree, str], str] | None:
    """Return the function that writes a call tree in the format of a file's name, or None."""
    return _TREES.get(Path(path).suffix.lower())


def save_tree(path: str | os.PathLike[str], tree: CallTree, what: str, name: str) -> Path:
    """Write a call tree in the format that the end of the file's name says."""
    writer = tree_format(path)
    if writer is None:
        raise refuse_ending(what, path)
    write_atomically(path, writer(tree, name))
    return Path(path)


def refuse_ending(what: str, path: str | os.PathLike[str]) -> ProfilingError:
    """Return the error for a file name that names no format of call trees."""
    return ProfilingError(
        object=f"file name of {what}",
        expected="one that ends in .speedscope.json, .folded or .collapsed",
        received=repr(Path(path).name),
        remedy="Name the file run.speedscope.json for speedscope, or run.folded for collapsed "
        "stacks.",
    )


def span(
    name: str, start: float, end: float, *, thread: int, category: str, more: Event | None = None
) -> Event:
    """Return a complete event of a Chrome trace, from `start` to `end` in microseconds.

    Source: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
    """
    event = {"ph": "X", "name": name, "cat": category, "pid": 1, "tid": thread}
    return {**event, "ts": start, "dur": end - start, "args": dict(more or {})}


def arrow(start: float, end: float, threads: tuple[int, int], number: int) -> list[Event]:
    """Return the events of an arrow between spans that contain `start` and `end`."""
    both = {"name": "launch", "cat": "launch", "id": number, "pid": 1}
    return [
        {**both, "ph": "s", "tid": threads[0], "ts": start},
        {**both, "ph": "f", "bp": "e", "tid": threads[1], "ts": end},
    ]


def save_trace(
    path: str | os.PathLike[str],
    events: Sequence[Event],
    *,
    what: str,
    process: str,
    threads: Mapping[int, str],
) -> Path:
    """Write events as a Chrome trace, with a name for the process and each row."""
    if Path(path).suffix.lower() != ".json":
        raise ProfilingError(
            object=f"file name of {what}",
            expected="one that ends in .json",
            received=repr(Path(path).name),
            remedy="Name the file trace.json; Perfetto opens it.",
        )
    names: list[Event] = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": process}},
        *(
            {"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": name}}
            for number, name in threads.items()
        ),
        *(
            {"ph": "M", "pid": 1, "tid": n, "name": "thread_sort_index", "args": {"sort_index": n}}
            for n in threads
        ),
    ]
    content = {
        "traceEvents": [*names, *events],
        "displayTimeUnit": "ns",
        "otherData": {"exporter": f"hpml {hpml.__version__}"},
    }
    write_atomically(path, json.dumps(content, separators=(",", ":")))
    return Path(path)
