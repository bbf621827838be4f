"""From contenders to samples in interleaved rounds.

`timing` takes one sample of a contender, `rounds` takes many in turns, `results` looks at what a
call returned.
"""

from __future__ import annotations
