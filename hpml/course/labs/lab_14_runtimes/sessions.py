"""Models in other runtimes: published figures, fused operators, parallel calls, loops."""

from __future__ import annotations

import itertools
import statistics
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

from hpml.base.operator_times import OTHER
from hpml.base.optional import NOT_INSTALLED, import_optional, why_unavailable
from hpml.base.page import put, say
from hpml.base.tables import Table, format_seconds
from hpml.benchmark import Comparison, Estimate
from hpml.course.files import published
from hpml.course.packages import install_command
from hpml.profiling import operator_timing

if TYPE_CHECKING:
    from torch import nn

    from hpml.course.runtimes import OnnxModel
    from hpml.symbolic import SymbolicModel


def onnx_is_here() -> bool:
    """Return whether models can be exported to ONNX; if not, show what to install."""
    packages = ("onnx", "onnxscript")
    missing = [name for name in packages if import_optional(name) == NOT_INSTALLED]
    if missing:
        install = install_command(*missing, "onnxruntime")
        text = f"Export needs packages: `{install}`. Without them the lab leaves export out."
    elif reason := why_unavailable(*packages):
        text = f"{reason}. The lab leaves export out."
    else:
        return True
    put(say(text), uuid.uuid4().hex)
    return False


def operators_left(exported: OnnxModel) -> Table:
    """Return the number of each operator in the graph after each level of optimisation."""
    from hpml.course.runtimes import optimised_operators

    counts = {level: optimised_operators(exported, level) for level in ("off", "basic", "all")}
    names = dict.fromkeys(name for each in counts.values() for name in each)
    rows: list[list[object]] = [[n, *(each.get(n, 0) for each in counts.values())] for n in names]
    rows.append(["sum", *(sum(each.values()) for each in counts.values())])
    return Table(["operator", *counts], rows)


def beside_published(raced: Comparison) -> Table:
    """Return the document's times for batch 1 next to the measured ones, relative to eager."""
    block = published("convnext_inference")
    rows = {row["changes"]: row["bs1_ms"] for row in block["rows"]}
    given = {"eager": "1", "compiled": f"{rows['torch.compile'] / rows['vanilla (GELU)']:.2f}"}
    shown: list[list[object]] = []
    for name in dict.fromkeys((*given, *raced.names)):
        ratio = str(raced.ratio(name)) if name in raced else ""
        shown.append([name, given.get(name, ""), "1" if name == "eager" else ratio])
    caption = (
        f"Published: {block['hardware']}, 18 million parameters, batch 1. No figures for ONNX "
        "Runtime, TensorRT or quantisation."
    )
    columns = ["runtime", "published / eager", "here / eager"]
    return Table(columns, shown, caption=caption, align=("left", "right", "left"))


@cache
def runs_at(model: nn.Module, pixels: int) -> Mapping[str, Callable[[], Any]]:
    """Return calls of a model on one square image, by runtime."""
    import torch

    from hpml.course.runtimes import runtimes

    return runtimes(model, torch.rand(1, 3, pixels, pixels), compiled=False).runs


def in_turn(run: Callable[[], Any], times: int) -> Callable[[], object]:
    """Return a function that makes a call several times in sequence."""
    return lambda: [run() for _ in range(times)]


def in_parallel(run: Callable[[], Any], times: int, threads: int) -> Callable[[], object]:
    """Return a function that makes a call several times, divided among threads."""
    pool = ThreadPoolExecutor(threads)
    chunk = in_turn(run, times // threads)
    return lambda: list(pool.map(lambda _: chunk(), range(threads)))


def operator_seconds(model: SymbolicModel, *inputs: Any, runs: int = 40) -> dict[str, float]:
    """Return the median seconds of each layer of a model over runs, and of the total."""
    import torch

    with torch.no_grad(), operator_timing(model) as timing:
        for _ in range(runs + 5):
            model(*inputs)
    times: dict[str, list[float]] = {"total": []}
    for run in timing.runs[5:]:
        times["total"].append(1e-9 * run.total)
        for label, (start, end) in zip(run.labels, itertools.pairwise(run.stamps), strict=True):
            if label.node:
                last = times.setdefault(label.node, [])
                last.append(0.0)
            if label is not OTHER and label.operator != "[Guard]":
                last[-1] += 1e-9 * (end - start)  # includes freeing its arguments
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def loop(step: Callable[[Any], Any], state: Any, steps: int) -> Any:
    """Call a step repeatedly on its own result, without gradients."""
    import torch

    with torch.no_grad():
        for _ in range(steps):
            state = step(state)
    return state


def latency_per_token(step: Comparison, whole: Comparison, written: int) -> Table:
    """Return the seconds of a character in one step, and as a mean over a generated text."""
    rows = [
        [f"{name}, {what}", taken[name].median / count, taken.ratio(name).shown]
        for what, taken, count in (
            ("after 100 characters", step, 1),
            (f"mean of {written}", whole, written),
        )
        for name in taken.names
    ]
    return Table(
        ["", "seconds per character", "ratio"],
        rows,
        caption="Medians; the ratio is to the row without a cache.",
        formats={"seconds per character": format_seconds},
    )


def shares(few: Estimate, many: Estimate, pixels: float = 16.0) -> str:
    """Return which share of eager's extra time is work and which calls, as text for `say`.

    The extra time is `a + b * pixels`: a fixed part for the calls, and a part for each pixel.
    `many` has `pixels` times as many of them as `few`.

    >>> shares(Estimate(626e-6, 603e-6, 654e-6), Estimate(1390e-6, 1250e-6, 1530e-6))
    'The extra time is a + b · pixels: ... **work** is 51% to 65% of it, and **calls** the rest.'
    """
    grown = many / few
    low, high = (
        min(max(pixels * (1 - 1 / end) / (pixels - 1), 0.0), 1.0) if end > 0 else 0.0
        for end in (grown.low, grown.high)
    )
    return (
        "The extra time is a + b · pixels: both causes contribute, a fixed time for the calls and "
        f"a time for each pixel. With the larger images **work** is {low:.0%} to {high:.0%} of it, "
        "and **calls** the rest."
    )
