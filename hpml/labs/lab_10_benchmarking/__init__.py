"""Lab 10: benchmarks, their noise, and what may be said of it.

In the order of the lab: ``shares`` (a profile beside a benchmark), ``machine`` (timeit's command,
the frequency), ``recordings`` and ``noise_picture`` (samples made by ``record``), ``race`` (rules
where the truth is known), ``claim`` (what an honest sentence says).
"""

from __future__ import annotations

from hpml.labs.lab_10_benchmarking.claim import claim_parts
from hpml.labs.lab_10_benchmarking.machine import command_output, frequency
from hpml.labs.lab_10_benchmarking.noise_picture import draw_noise, summaries
from hpml.labs.lab_10_benchmarking.race import (
    by_library,
    by_t_test,
    duel,
    on_recordings,
    race_rules,
)
from hpml.labs.lab_10_benchmarking.recordings import NAMES, recording
from hpml.labs.lab_10_benchmarking.shares import blame
