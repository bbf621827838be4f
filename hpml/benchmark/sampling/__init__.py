"""From contenders to samples in interleaved rounds.

`contender` says what to run, `timing` takes one sample of it, `rounds` takes many in turns;
`process` and `worker` are for a contender in a process of its own.
"""

from __future__ import annotations
