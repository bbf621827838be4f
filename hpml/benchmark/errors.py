"""The exceptions of `hpml.benchmark`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class BenchmarkError(HpmlError):
    """A measurement is impossible or invalid; the message says what to do."""


class ContenderError(BenchmarkError):
    """A contender failed; the message names it."""


class RecordError(BenchmarkError):
    """A file of recorded cases is missing or invalid."""
