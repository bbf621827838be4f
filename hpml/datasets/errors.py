"""The error of `hpml.datasets`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class DatasetError(HpmlError):
    """A data set is missing or broken, or a requested size is impossible."""
