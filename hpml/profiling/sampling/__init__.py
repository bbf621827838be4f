"""A sampling profiler whose observer needs nothing that the program holds.

`sample` calls a function while an observer looks at its stack, and returns the merged stacks:

>>> from hpml.profiling.sampling import sample
>>> sample(lambda: sum(n * n for n in range(10_000_000))).count > 10
True

A thread of the same process must wait for the interpreter lock. The interpreter gives it up only at
certain instructions, so such a thread finds the program there, and not in the operator that took
the time. The observers, in the order in which they are tried:

1. `outside`: another process, which reads this one's memory;
2. `signals`: a signal handler in C;
3. `watcher`: a thread that counts how often it had to wait for the lock.
"""

from __future__ import annotations

from hpml.profiling.sampling.run import Samples, sample

__all__ = ["Samples", "sample"]
