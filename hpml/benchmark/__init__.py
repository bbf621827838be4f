"""Measure, compare, record and plot: which contender is faster, and by how much.

A contender is any callable. `compare` samples all contenders in interleaved rounds. It returns
their quartiles and their ratios to a baseline, each with an interval:

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

`compare_sizes` measures several sizes in the same rounds, so that their times can be compared.
With ``processes=5`` each contender runs in several fresh processes.
``print(comparison)`` shows the table, with advice if the samples are not good enough;
``comparison.plot()`` draws it; ``comparison.save("squares.json")`` writes a file for pyperf.

In the order in which values flow: ``sampling`` takes the samples → ``measurement`` and
``comparison`` are the results (``ratio`` draws conclusions with the statistics of ``robust``,
``advice`` judges the samples) → ``saved`` stores them → ``tables`` and ``plots`` show them.
``roofline`` compares a kernel's speed with the limits of the machine.
"""

from __future__ import annotations

from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.paired import seconds_at
from hpml.benchmark.plots import sweeps
from hpml.benchmark.ratio import Ratio
from hpml.benchmark.roofline import Kernel, Limits, draw_roofline
from hpml.benchmark.sampling.rounds import compare, measure
from hpml.benchmark.sampling.sizes import compare_sizes
from hpml.benchmark.saved.record import Case, read_cases, write_case

__all__ = [
    "BenchmarkError",
    "Case",
    "Comparison",
    "Estimate",
    "Kernel",
    "Limits",
    "Measurement",
    "Ratio",
    "compare",
    "compare_sizes",
    "draw_roofline",
    "measure",
    "read_cases",
    "seconds_at",
    "sweeps",
    "write_case",
]
