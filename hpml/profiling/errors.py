"""The errors of `hpml.profiling`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ProfilingError(HpmlError, ValueError):
    """A measurement is impossible as requested; the message says what to do."""
