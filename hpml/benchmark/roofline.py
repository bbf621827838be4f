"""The roofline model: compare the speed of kernels with the limits of the machine.

Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model
for multicore architectures", Communications of the ACM 52 (4), 2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hpml.base import charts, style
from hpml.base.page import Page
from hpml.base.tables import readable


@dataclass(frozen=True)
class Limits:
    """The measured limits of a machine, or of one core.

    Attributes:
        bandwidth: bytes per second to and from memory.
        peak: float32 operations per second.
    """

    bandwidth: float
    peak: float

    @property
    def ridge(self) -> float:
        """The operations per byte at which the limit changes from memory to arithmetic."""
        return self.peak / self.bandwidth

    def at_most(self, intensity: float) -> float:
        """Return the highest possible operations per second for this intensity.

        >>> Limits(bandwidth=1e10, peak=5e10).at_most(2.0)
        20000000000.0
        """
        return min(self.peak, intensity * self.bandwidth)


class Kernel(NamedTuple):
    """A kernel's operations, the bytes that it has to move, and the seconds that it took."""

    operations: float
    bytes: float
    seconds: float

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.operations / self.bytes

    @property
    def speed(self) -> float:
        """Operations per second."""
        return self.operations / self.seconds


def draw_roofline(
    limits: Limits,
    kernels: Mapping[str, Kernel],
    caption: str = "",
    peaks: Mapping[str, float] | None = None,
) -> Page:
    """Draw the limits of the machine and the speed of each kernel on logarithmic axes.

    Args:
        limits: the limits of the machine.
        kernels: the work of each kernel, by name.
        caption: what is said below, such as where the limits come from.
        peaks: operations per second in other types, by the name of the type, each a dashed line.

    Returns:
        The figure; its text form gives each kernel's speed in percent of the limit.

    >>> limits = Limits(bandwidth=1e10, peak=5e10)
    >>> print(draw_roofline(limits, {"add": Kernel(1e6, 12e6, 2e-3)}).plain.partition(". ")[2])
    add: 0.0833 operations per byte, 0.5 GFLOP/s, 60 % of what is possible.
    """
    intensities = [limits.ridge, *(work.intensity for work in kernels.values())]
    edges = [min(intensities) / 4, limits.ridge, max(intensities) * 4]
    others = [
        charts.Line(
            f"arithmetic in {name} {_giga(peak)} GFLOP/s",
            [peak / limits.bandwidth, max(edges[-1], 4 * peak / limits.bandwidth)],
            [peak / 1e9] * 2,
            "--",
            style.MUTED,
        )
        for name, peak in (peaks or {}).items()
    ]
    roof = f"memory {_giga(limits.bandwidth)} GB/s, arithmetic {_giga(limits.peak)} GFLOP/s"
    chart = charts.lines(
        [
            charts.Line(roof, edges, [limits.at_most(e) / 1e9 for e in edges], colour=style.INK),
            *others,
            *(
                charts.Line(
                    name,
                    [work.intensity],
                    [work.speed / 1e9],
                    form="",
                    text=f"{_giga(work.speed)} GFLOP/s",
                )
                for name, work in kernels.items()
            ),
        ],
        at_ends=list(kernels),
        title="Measured speed and the limits of the machine",
        x="operations per byte",
        y="GFLOP/s",
        log="xy",
    )
    return charts.show(chart, caption=caption, text=_text(limits, kernels, peaks or {}))


def _text(limits: Limits, kernels: Mapping[str, Kernel], peaks: Mapping[str, float]) -> str:
    parts = [
        f"{name}: {readable(work.intensity, 3)} operations per byte, {_giga(work.speed)} GFLOP/s, "
        f"{readable(100 * work.speed / limits.at_most(work.intensity), 3)} % of what is possible"
        for name, work in kernels.items()
    ]
    machine = f"Memory {_giga(limits.bandwidth)} GB/s, arithmetic {_giga(limits.peak)}"
    others = "".join(f", in {name} {_giga(peak)} GFLOP/s" for name, peak in peaks.items())
    return f"{machine} GFLOP/s{others}. {'; '.join(parts)}."


def _giga(number: float) -> str:
    """Return a number in thousands of millions, as text."""
    return readable(number / 1e9, 3)
