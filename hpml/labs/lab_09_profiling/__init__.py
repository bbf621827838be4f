"""Lab 09: where the time goes, and what asking costs."""

from __future__ import annotations

from hpml.labs.lab_09_profiling.models import classifier, run_with
from hpml.labs.lab_09_profiling.network import (
    beside_the_slide,
    learning,
    profile_command,
    seconds_of,
)
from hpml.labs.lab_09_profiling.overhead import what_fits
from hpml.labs.lab_09_profiling.pictures import beside_cprofile, flame
from hpml.labs.lab_09_profiling.profilers import (
    kept_bytes,
    library_profilers,
    memory_profiler_ratio,
)
from hpml.labs.lab_09_profiling.programs import (
    PROGRAMS,
    functions_of,
    if_free,
    loop_in_calls,
)
from hpml.labs.lab_09_profiling.tools import tools
