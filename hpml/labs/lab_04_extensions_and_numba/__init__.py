"""Lab 04: the same loop interpreted, compiled ahead of time, and compiled just in time."""

from __future__ import annotations

from hpml.labs.lab_04_extensions_and_numba.extensions import (
    build_seconds,
    built,
    in_a_module,
    recorded,
    tried,
)
from hpml.labs.lab_04_extensions_and_numba.new_processes import in_new_processes
from hpml.labs.lab_04_extensions_and_numba.pictures import (
    draw_break_even,
    draw_per_number,
    times_by_size,
)
