"""Scaled dot-product attention by each of PyTorch's kernels: the bytes it writes, and its time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import Line, lines, show
from hpml.base.page import Page
from hpml.base.tables import Table, format_bytes, format_seconds
from hpml.benchmark import Comparison, Ratio, compare
from hpml.course.lesson.racing import SAMPLE
from hpml.course.this_run import quick
from hpml.profiling import Work, work_of

if TYPE_CHECKING:
    from torch.nn.attention import SDPBackend

MATH, FUSED = "math", "fused"
POSITIONS = (64, 256, 1024, 2048)
HEADS = 4

Attend = Callable[[Any, int], Callable[[], object]]
"""Returns a call of attention, for the kernels that it may use and a number of positions."""


def kernels(attend: Attend) -> dict[str, list[SDPBackend]]:
    """Return the kernels by name; without a fused one on this device, "math" alone."""
    from torch.nn.attention import SDPBackend

    names = ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE")
    fused = [getattr(SDPBackend, name) for name in names if hasattr(SDPBackend, name)]
    found = {MATH: [SDPBackend.MATH]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch says why each kernel does not fit
        try:
            by_fused = work_of(attend(fused, POSITIONS[0])).operations
        except RuntimeError:
            return found
    # Some devices run their only kernel, whichever is asked for.
    by_math = work_of(attend(found[MATH], POSITIONS[0])).operations
    return found if by_fused == by_math else {**found, FUSED: fused}


@dataclass(frozen=True)
class Measured:
    """The work and the times of attention by number of positions."""

    works: Mapping[int, Mapping[str, Work]]
    times: Mapping[int, Comparison]

    def written(self, positions: int, kernel: str) -> float:
        """Return the MiB of new results."""
        return self.works[positions][kernel].bytes / 2**20

    def slower(self, positions: int) -> Ratio | None:
        """Return the time of "math" as a multiple of the fused kernel's, or None without one."""
        times = self.times[positions]
        return times.ratio(MATH, FUSED) if FUSED in times.names else None

    @property
    def rows(self) -> list[list[str]]:
        """Return the rows of the lab's closing table."""
        most = max(self.works)
        slower = self.slower(most)
        where = f"attention, {most:,} positions"
        return [
            [f"{where}: math writes", f"{self.written(most, MATH):.0f} MiB"],
            [f"{where}: math / fused", f"{slower.shown}×" if slower else "no fused kernel"],
        ]

    @property
    def table(self) -> Table:
        """One row per number of positions."""
        columns = ["positions", "scores"]
        columns += [f"{name} writes" for name in self._names] + [f"{n} takes" for n in self._names]
        rows: list[list[object]] = []
        for positions, works in self.works.items():
            times = self.times[positions]
            row: list[object] = [positions, 4 * HEADS * positions**2]
            row += [work.bytes for work in works.values()]
            row += [times[name].median for name in works]
            rows.append([*row, times.ratio(MATH, FUSED).shown] if FUSED in works else row)
        if FUSED in self._names:
            columns.append("math / fused")
        formats: Any = {"scores": format_bytes}
        formats |= {each: format_bytes for each in columns if each.endswith("writes")}
        formats |= {each: format_seconds for each in columns if each.endswith("takes")}
        operators = "; ".join(
            f"{name}: {', '.join(work.operations)}"
            for name, work in self.works[max(self.works)].items()
        )
        caption = f"{HEADS} heads, float32, no gradients. Operators of {operators}."
        if FUSED not in self._names:
            caption += " This device has no fused kernel in float32."
        if len(self.works[max(self.works)][MATH].operations) == 1:
            caption += " Here math is one operator: what it writes inside is not counted."
        return Table(columns, rows, caption=caption, formats=formats)

    def draw(self) -> Page:
        """Draw the bytes written and the time of each kernel."""
        sizes, colours = list(self.works), style.series(self._names)
        drawn = {
            "MiB": {name: [self.written(size, name) for size in sizes] for name in self._names},
            "ms": {
                name: [1e3 * self.times[size][name].median for size in sizes]
                for name in self._names
            },
        }
        charts = [
            lines(
                [
                    Line(name, sizes, each, "-", colours[name], style.marker(name))
                    for name, each in by_name.items()
                ],
                title={"MiB": "New results", "ms": "Time of a call"}[unit],
                x="positions",
                y=unit,
                log="xy",
                sizes=sizes,
            )
            for unit, by_name in drawn.items()
        ]
        return show(*charts, beside=True, width=9.4)

    @property
    def _names(self) -> Sequence[str]:
        return list(self.works[max(self.works)])


def measure(attend: Attend, device: str, positions: Sequence[int] = POSITIONS) -> Measured:
    """Count the work of each kernel and race them, at each number of positions."""
    available = kernels(attend)
    works, times = {}, {}
    for size in positions:
        runs = {name: attend(each, size) for name, each in available.items()}
        works[size] = {name: work_of(run) for name, run in runs.items()}
        times[size] = compare(
            runs, rounds=6 if quick() else 15, min_sample_time=SAMPLE, device=device
        )
    return Measured(works, times)
