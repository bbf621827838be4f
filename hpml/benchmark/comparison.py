"""The result of `compare`: measurements from the same rounds, with a table and a picture."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.tables import Shown, Table
from hpml.benchmark.paired import PairedSamples
from hpml.benchmark.plots import plot_comparison
from hpml.benchmark.saved.pyperf import save_pyperf
from hpml.benchmark.tables import comparison_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Comparison(Shown, PairedSamples):
    """Measurements of several contenders from the same interleaved rounds.

    Attributes:
        measurements: one per contender, in their order; sample k of each was taken in round k.
        baseline: the name of the contender that the others are compared with.
        asked_rounds: the number of rounds requested; fewer were taken if the run was stopped.
        seed: the seed of the order within the rounds.
        resolution: the smallest change that counts as real, as a fraction.

    >>> from hpml.benchmark import Measurement
    >>> old = Measurement("old", (4e-3, 4.1e-3, 3.9e-3, 4e-3, 4.2e-3, 4e-3), number=10)
    >>> new = Measurement("new", (2e-3, 2.1e-3, 1.9e-3, 2e-3, 2.1e-3, 2e-3), number=10)
    >>> comparison = Comparison((old, new), baseline="old", asked_rounds=6)
    >>> comparison["new"].median, comparison.ratio("new").answer
    (0.002, 'faster')
    >>> print(comparison)
    contender   median     25 %     75 %  ratio  95 % interval   answer
    ---------  -------  -------  -------  -----  --------------  --------
    old        4.00 ms  4.00 ms  4.08 ms      1  –               baseline
    new        2.00 ms  2.00 ms  2.08 ms  0.500  0.455 to 0.550  faster
    Ratio: time as a multiple of old.
    Each ratio is the Hodges-Lehmann estimate over 6 interleaved rounds. Garbage collector: off.
    """

    def plot(
        self, ax: Axes | None = None, predicted: Mapping[str, float | str | None] | None = None
    ) -> Axes:
        """Draw samples, quartiles and medians, one row per contender.

        Args:
            ax: where to draw; a new figure by default.
            predicted: predicted ratios to the baseline; None without a prediction.

        Returns:
            The axes; ``axes.figure`` is the figure. Outliers beyond the right edge are only
            counted, because they would squeeze the other samples.
        """
        return plot_comparison(self, ax, predicted)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a file that pyperf opens, with a benchmark for each contender.

        ``python -m pyperf stats FILE`` shows them; ``pyperf compare_to`` compares this file with
        one of another day, contender by contender. To compare two contenders of one comparison,
        save each with `Measurement.save` under one name. A pyperf file has no rounds, so pyperf
        compares means, not pairs. `hpml.benchmark.write_case` keeps everything.

        Raises:
            BenchmarkError: if the file's name does not end in ``.json``.
            OSError: if it cannot be written; a missing folder is created.
        """
        return save_pyperf(path, self.measurements, self.names)

    def _shown(self) -> list[Table]:
        return [comparison_table(self)]
