"""The errors of `hpml.profiling`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ProfilingError(HpmlError, ValueError):
    """Something cannot be measured as it was asked for; the message says what can."""
