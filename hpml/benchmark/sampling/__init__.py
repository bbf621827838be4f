"""Take samples in interleaved rounds.

`timing` takes one sample, `rounds` schedules many, `results` checks what a call returned.
"""

from __future__ import annotations
