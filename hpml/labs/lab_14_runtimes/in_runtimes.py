"""The ConvNeXt in every runtime: published figures beside, operators left, chunks in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

from hpml.base import published
from hpml.base.tables import Table
from hpml.benchmark import Comparison

if TYPE_CHECKING:
    from torch import nn

    from hpml.runtimes import OnnxModel


def operators_left(exported: OnnxModel) -> Table:
    """Return how often each operator stands in the graph after each level of optimisation."""
    from hpml.runtimes import optimised_operators

    counts = {level: optimised_operators(exported, level) for level in ("off", "basic", "all")}
    names = dict.fromkeys(name for each in counts.values() for name in each)
    rows: list[list[object]] = [[n, *(each.get(n, 0) for each in counts.values())] for n in names]
    rows.append(["sum", *(sum(each.values()) for each in counts.values())])
    return Table(["operator", *counts], rows)


def beside_published(raced: Comparison) -> Table:
    """Return the document's inference rows for batch 1, as ratios, beside those measured here."""
    block = published("convnext_inference")
    rows = {row["changes"]: row["bs1_ms"] for row in block["rows"]}
    vanilla = rows["vanilla (GELU)"]
    shown: list[list[object]] = []
    mine = {"torch.compile": "compiled"}
    for change, milliseconds in rows.items():
        name = mine.get(change, "")
        here = str(raced.ratio(name)) if name in raced else ""
        if change == "vanilla (GELU)":
            here = "1"
        shown.append([change, f"{milliseconds / vanilla:.2f}", here])
    shown += [[name, "", str(raced.ratio(name))] for name in raced.names if "Runtime" in name]
    caption = (
        f"Published: {block['hardware']}, 18 million parameters, batch 1, as ratios. Activations "
        "are lab 13's. Of TensorRT and of quantisation the document has no figures."
    )
    columns = ["change", "published / vanilla", "here / eager"]
    return Table(columns, shown, caption=caption, align=("left", "right", "left"))


@cache
def runs_at(model: nn.Module, pixels: int) -> Mapping[str, Callable[[], Any]]:
    """Return calls of a model on one image of so many pixels a side, by runtime."""
    import torch

    from hpml.runtimes import runtimes

    return runtimes(model, torch.rand(1, 3, pixels, pixels), compiled=False).runs


def in_turn(run: Callable[[], Any], times: int) -> Callable[[], object]:
    """Return what makes a call several times, one after the other."""

    def runs() -> None:
        for _ in range(times):
            run()

    return runs


def in_parallel(run: Callable[[], Any], times: int, threads: int) -> Callable[[], object]:
    """Return what makes a call several times, shared out among threads."""
    pool = ThreadPoolExecutor(threads)
    chunk = in_turn(run, times // threads)
    return lambda: list(pool.map(lambda _: chunk(), range(threads)))
