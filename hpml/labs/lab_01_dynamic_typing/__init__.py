"""What lab 01 shows of types that are known only when a program runs, and of what that costs.

>>> from hpml.labs import lab_01_dynamic_typing as dt
>>> out = [0, 0]
>>> dt.add_loop([1, 0.5], [2, 0.25], out)      # the same loop for whatever can be added
>>> out
[3, 0.75]
>>> 3 * dt.Written("x") + 1                    # and for what only writes it down
3 * x + 1

In the order of the lab: ``memory`` (bytes of a million numbers), ``compiled`` (the loops in C),
``loops`` (every way to run one operation), ``measuring`` (nanoseconds for each element),
``crossing`` (where a vector call pays), ``ducks`` (one function, many types), ``boxing`` (what a
loop over an array does more than one over a list).
"""

from __future__ import annotations

from hpml.labs.lab_01_dynamic_typing.boxing import measure_boxing, what_fits
from hpml.labs.lab_01_dynamic_typing.compiled import C_SOURCE, compiled_loops, compiler_says
from hpml.labs.lab_01_dynamic_typing.crossing import draw_crossing, elements, measure_small_sizes
from hpml.labs.lab_01_dynamic_typing.ducks import Written, tried
from hpml.labs.lab_01_dynamic_typing.loops import OPERATIONS, add_loop, ways
from hpml.labs.lab_01_dynamic_typing.measuring import draw_times, measure_ways, times_by_choice
from hpml.labs.lab_01_dynamic_typing.memory import draw_memory

__all__ = [
    "C_SOURCE",
    "OPERATIONS",
    "Written",
    "add_loop",
    "compiled_loops",
    "compiler_says",
    "draw_crossing",
    "draw_memory",
    "draw_times",
    "elements",
    "measure_boxing",
    "measure_small_sizes",
    "measure_ways",
    "times_by_choice",
    "tried",
    "ways",
    "what_fits",
]
