"""Published figures beside measured ones, as ratios: seconds of another machine say nothing here.

Throughput in batches per second becomes time relative to the hand-written module of the same table,
which the documents call "vanilla".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hpml.base.files import published
from hpml.base.tables import Table
from hpml.benchmark.record import Case
from hpml.benchmark.sweep import Sweep

__all__ = ["published_deep_linear", "published_ratios"]

MEASURED_AS = {
    "vanilla": "handwritten",
    "sequential": "sequential",
    "symbolic": "pytorch-symbolic",
}
"""What the published table calls a contender, and what the suite calls it."""


def published_ratios() -> tuple[Sweep, ...]:
    """Return the published deep linear figures as time relative to the hand-written module.

    The band divides the throughput of the hand-written module, at its median, by the quartiles.

    >>> [line.name for line in published_ratios()]
    ['handwritten', 'sequential', 'pytorch-symbolic']
    """
    rows: list[dict[str, Any]] = published("deep_linear_cpu")["rows"]
    base = {row["n_layers"]: row["quartiles"][1] for row in rows if row["definition"] == "vanilla"}
    lines = []
    for definition, name in MEASURED_AS.items():
        own = sorted(
            (row["n_layers"], row["quartiles"]) for row in rows if row["definition"] == definition
        )
        # The fastest quartile of throughput is the lower edge of time.
        bands = tuple((base[at] / q[2], base[at] / q[1], base[at] / q[0]) for at, q in own)
        lines.append(Sweep(name, tuple(float(at) for at, _ in own), bands, published=True))
    return tuple(lines)


def published_deep_linear(cases: Iterable[Case]) -> Table:
    """Return a page table: the published ratios, and the measured where the same was measured."""
    block = published("deep_linear_cpu")
    measured = {case.parameters.get("layers"): case.comparison for case in cases}
    rows = []
    for line in published_ratios():
        if line.name == "handwritten":
            continue
        for at, (_, ratio, _) in zip(line.at, line.bands, strict=True):
            comparison = measured.get(int(at))
            here = comparison is not None and line.name in comparison.names
            own = comparison.ratio(line.name).value if here and comparison is not None else None
            rows.append((line.name, int(at), ratio, own))
    # Without a measured figure to stand beside them the published ones stand alone.
    width = 4 if any(row[-1] is not None for row in rows) else 3
    head = ("contender", "layers", "published", "measured here")[:width]
    return Table(
        head,
        [row[:width] for row in rows],
        title="Published beside measured: time as a multiple of the hand-written module's",
        caption=f"Published on {block['hardware']}, batch {block['batch']}, {block['features']} "
        f"features: {block['source']}.",
        formats=dict.fromkeys(head[2:], _three),
    )


def _three(value: float) -> str:
    return f"{value:.3f}"
