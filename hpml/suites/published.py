"""Compare published with measured figures, as ratios because the machines differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base.files import published
from hpml.base.tables import Table
from hpml.benchmark.record import Case

CUDA_GRAPHS = "cuda-graphs"


@dataclass(frozen=True)
class PublishedBlock:
    """The place of a suite's published figures in the data file, and what they measure."""

    block: str
    column: str
    parameter: str
    measured_as: Mapping[str, str]
    remark: str

    @property
    def hardware(self) -> str:
        """The machine of the published figures."""
        return str(published(self.block)["hardware"])


DEEP_LINEAR = PublishedBlock(
    "deep_linear_cpu",
    "n_layers",
    "layers",
    {"vanilla": "handwritten", "sequential": "sequential", "symbolic": "pytorch-symbolic"},
    "4 features",
)
TOY_RESNET = PublishedBlock(
    "toy_resnet_gpu",
    "resolution",
    "resolution",
    {
        "vanilla": "handwritten",
        "symbolic": "pytorch-symbolic",
        "symbolic+cuda_graphs": CUDA_GRAPHS,
    },
    f"{CUDA_GRAPHS} published for pytorch-symbolic, measured for hpml.symbolic",
)


def published_ratios(source: PublishedBlock) -> dict[str, dict[int, float]]:
    """Return published times relative to the hand-written module's, by contender and parameter."""
    times = published_times(source)
    base = times.pop("handwritten")
    return {
        name: {size: seconds / base[size] for size, seconds in by_size.items()}
        for name, by_size in times.items()
    }


def published_times(source: PublishedBlock) -> dict[str, dict[int, float]]:
    """Return the published median times in seconds, by contender and by the suite's parameter."""
    rows: list[dict[str, Any]] = published(source.block)["rows"]
    times: dict[str, dict[int, float]] = {name: {} for name in source.measured_as.values()}
    for row in sorted(rows, key=lambda row: int(row[source.column])):
        name = source.measured_as[row["definition"]]
        times[name][int(row[source.column])] = 1 / row["quartiles"][1]
    return times


def published_table(source: PublishedBlock, cases: Sequence[Case]) -> Table:
    """Return a table of the published ratios, with the measured ratios of the same cases."""
    block = published(source.block)
    measured = {case.parameters.get(source.parameter): case.comparison for case in cases}
    parameters = cases[0].parameters if cases else {}
    others = [
        f"{name} {parameters[name]}"
        for name in ("batch", "features", "grad")
        if name in parameters and parameters[name] != block.get(name, False)
    ]
    here = f" Here: {', '.join(others)}." if others else ""
    rows = []
    for name, ratios in published_ratios(source).items():
        for size, ratio in ratios.items():
            comparison = measured.get(size)
            measured_ratio = None
            if comparison is not None and name in comparison.names:
                measured_ratio = comparison.ratio(name).value
            rows.append((name, size, ratio, measured_ratio))
    # Unmeasured sizes are shown only if nothing was measured.
    rows = [row for row in rows if row[1] in measured] or rows
    width = 4 if any(row[-1] is not None for row in rows) else 3
    head = ("contender", source.parameter, "published", "measured here")[:width]
    return Table(
        head,
        [row[:width] for row in rows],
        title=f"Published{' and measured' if width == 4 else ''} time as a multiple of the "
        "hand-written module's",
        caption=f"Published on {source.hardware}, batch {block['batch']}, {source.remark}: "
        f"{block['source']}.{here}",
        formats=dict.fromkeys(head[2:], "{:.3f}".format),
    )
