"""Errors of making copies and books."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ReleaseError(HpmlError):
    """The students' copy or the book cannot be made; the message says what to fix."""
