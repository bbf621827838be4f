"""The error of `hpml.models`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ModelError(HpmlError, ValueError):
    """A network was asked for with sizes it cannot have."""
