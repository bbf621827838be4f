"""The error of `hpml.models`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ModelError(HpmlError, ValueError):
    """An argument of a network or an activation is invalid."""
