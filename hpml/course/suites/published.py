"""Compare published with measured figures, as ratios because the machines differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base.tables import Table
from hpml.benchmark.saved.record import Case
from hpml.course.files import published

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


def published_times(source: PublishedBlock) -> dict[str, dict[int, float]]:
    """Return the published median times in seconds, by contender and by the suite's parameter."""
    rows: list[dict[str, Any]] = published(source.block)["rows"]
    times: dict[str, dict[int, float]] = {name: {} for name in source.measured_as.values()}
    for row in sorted(rows, key=lambda row: int(row[source.column])):
        name = source.measured_as[row["definition"]]
        times[name][int(row[source.column])] = 1 / row["quartiles"][1]
    return times


def ratios_to(
    baseline: str, times: Mapping[str, Mapping[int, float]]
) -> dict[str, dict[int, float]]:
    """Return the other contenders' times relative to the baseline's."""
    return {
        name: {size: time / times[baseline][size] for size, time in by_size.items()}
        for name, by_size in times.items()
        if name != baseline
    }


def published_table(
    ratios: Mapping[str, Mapping[int, float]],
    parameter: str,
    cases: Sequence[Case],
    title: str,
    caption: str,
) -> Table:
    """Return a table of published ratios with the measured ratios of the same cases."""
    measured = {case.parameters.get(parameter): case.comparison for case in cases}
    rows: list[tuple[str, int, float, float | None]] = []
    for name, by_size in ratios.items():
        for size, ratio in by_size.items():
            comparison = measured.get(size)
            here = None
            if comparison is not None and name in comparison:
                here = comparison.ratio(name).value
            rows.append((name, size, ratio, here))
    head = ("contender", parameter, "published", "measured here")
    return Table(
        head,
        # Unmeasured sizes are shown only if nothing was measured.
        [row for row in rows if row[1] in measured] or rows,
        title=title,
        caption=caption,
        formats=dict.fromkeys(head[2:], "{:.3f}".format),
    )
