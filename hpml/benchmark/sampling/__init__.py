"""Take samples in interleaved rounds: `timing` takes one sample, `rounds` schedules many."""

from __future__ import annotations
