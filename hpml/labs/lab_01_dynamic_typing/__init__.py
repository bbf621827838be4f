"""What lab 01 shows of types that are known only when a program runs, and of what that costs.

>>> from hpml.labs import lab_01_dynamic_typing as dt
>>> 3 * dt.Written("x") + 1                    # a number that only writes down what is done to it
3 * x + 1

In the order of the lab: ``memory`` (bytes of a million numbers), ``compiled`` (the loops in C),
``measuring`` (every way to run one of the ``operations``), ``element_access`` (what a loop over an
array does more), ``duck_typing`` (one function, many types), ``crossing`` (where a call pays).
"""

from __future__ import annotations

from hpml.labs.lab_01_dynamic_typing.compiled import compiled_loops, compiler_says
from hpml.labs.lab_01_dynamic_typing.crossing import draw_crossing, measure_small_sizes
from hpml.labs.lab_01_dynamic_typing.duck_typing import Written, tried
from hpml.labs.lab_01_dynamic_typing.element_access import what_fits
from hpml.labs.lab_01_dynamic_typing.measuring import (
    draw_times,
    measure_loops,
    nanoseconds,
    times_by_choice,
)
from hpml.labs.lab_01_dynamic_typing.memory import draw_memory
from hpml.labs.lab_01_dynamic_typing.operations import OPERATIONS
