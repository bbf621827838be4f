"""Where memory and time go, as plain values: records and tables first, pictures last.

The same numbers take more or less room, depending on what keeps them:

>>> from hpml.profiling import memory_of
>>> memory_of(1000, "list").per_number, memory_of(1_000_000, "array").per_number
(32.056, 8.00008)
>>> print(memory_of(1000, "list"))
1,000 numbers in a list
part       times  bytes each   bytes
---------  -----  ----------  ------
container      1          56      56
pointers    1000           8   8,000
elements    1000          24  24,000
sum                           32,056
32.056 bytes a number, each of 8 bytes in C.

`profile_calls` counts what Python calls, `instructions_outside` what it executes, `work_of` which
operators PyTorch executes, and `autograd_graph` walks what PyTorch records for the gradients.
"""

from __future__ import annotations

from hpml.profiling.autograd import AutogradNode, autograd_graph
from hpml.profiling.calls import CallCounts, instructions_outside, profile_calls
from hpml.profiling.errors import ProfilingError
from hpml.profiling.memory_of import MemoryOf, Part, memory_of
from hpml.profiling.operators import Work, work_of

__all__ = [
    "AutogradNode",
    "CallCounts",
    "MemoryOf",
    "Part",
    "ProfilingError",
    "Work",
    "autograd_graph",
    "instructions_outside",
    "memory_of",
    "profile_calls",
    "work_of",
]
