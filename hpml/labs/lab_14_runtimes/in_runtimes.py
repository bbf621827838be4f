"""The ConvNeXt in every runtime: published figures beside, operators left, chunks in parallel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch import Tensor

from hpml.base import published
from hpml.base.tables import Table
from hpml.benchmark import Comparison
from hpml.runtimes import OnnxModel, optimised_operators


def operators_left(exported: OnnxModel) -> Table:
    """Return how often each operator stands in the graph after each level of optimisation."""
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


def in_parallel(runs: Mapping[str, Callable[[], Any]]) -> Callable[[], list[Any]]:
    """Return what makes several calls at once, each on a thread of its own."""
    pool = ThreadPoolExecutor(len(runs))

    def run() -> list[Any]:
        return list(pool.map(lambda each: each(), runs.values()))

    return run


def chunked(session: Callable[[Tensor], Tensor], batch: Tensor, chunks: int) -> Callable[[], Any]:
    """Return a call that gives each thread one chunk of a batch."""
    parts = batch.chunk(chunks)
    both = in_parallel({str(i): (lambda part=part: session(part)) for i, part in enumerate(parts)})
    return lambda: torch.cat(both())
