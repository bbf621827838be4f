"""The error of `hpml.suites`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class SuiteError(HpmlError):
    """A suite was asked for something that it does not have or that does not fit together."""
