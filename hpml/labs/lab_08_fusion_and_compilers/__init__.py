"""Lab 08: fusing loops, and the compilers that do it."""

from __future__ import annotations

from hpml.jit import compiler_of_this_run
from hpml.labs.lab_08_fusion_and_compilers.compiling import (
    compiled,
    graphs_made,
    inductor_page,
    paying,
    recompilations,
    recorded_compilers,
    told,
    traced_models,
)
from hpml.labs.lab_08_fusion_and_compilers.kernels import (
    bytes_of,
    filled,
    limits_and_product,
    loops_in_c,
)
from hpml.labs.lab_08_fusion_and_compilers.timeline import (
    draw_spans,
    in_sequence,
    on_streams,
    on_threads,
)
