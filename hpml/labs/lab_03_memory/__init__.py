"""Lab 03: where memory is, who frees it, and what autograd keeps of it."""

from __future__ import annotations

from hpml.labs.lab_03_memory.by_hand import c_library, draw_over_time
from hpml.labs.lab_03_memory.collecting import (
    collection_times,
    collector_pauses,
    left_to_the_collector,
    show_cycle,
)
from hpml.labs.lab_03_memory.memory_map import draw_map, kind_at
from hpml.labs.lab_03_memory.networks import (
    draw_saved,
    lecture_program,
    page_faults,
    published_lines,
)
