"""Measure, compare, record, plot: an honest answer to which is faster, and by how much.

A contender is anything that can be called. `compare` samples all of them in interleaved rounds and
answers with quartiles, and with ratios to a baseline that carry an interval:

>>> from hpml.benchmark import compare
>>> numbers = list(range(1000))
>>> comparison = compare(
...     {"loop": lambda: [n * n for n in numbers], "nothing": lambda: None},
...     rounds=7, min_sample_time=1e-4,
... )
>>> comparison.ratio("nothing").answer
'faster'
>>> comparison.ratio("loop").answer           # against itself
'cannot tell'

``print(comparison)`` shows the table, with advice where the samples are not good enough;
``comparison.plot()`` draws it.

The files, in the order in which values flow: ``sampling`` (samples in interleaved rounds) →
``measurement`` and ``comparison`` (the results; ``ratio`` says what may be said of two, ``robust``
holds the statistics and ``advice`` judges the samples) → ``record`` (on disk) → ``tables`` and
``plots``.
"""

from __future__ import annotations

from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError, ContenderError
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.plots import sweeps
from hpml.benchmark.ratio import Ratio
from hpml.benchmark.record import Case, read_cases, write_case
from hpml.benchmark.sampling.rounds import compare, measure

__all__ = [
    "BenchmarkError",
    "Case",
    "Comparison",
    "ContenderError",
    "Estimate",
    "Measurement",
    "Ratio",
    "compare",
    "measure",
    "read_cases",
    "sweeps",
    "write_case",
]
