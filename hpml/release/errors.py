"""The errors of what is handed out."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class ReleaseError(HpmlError):
    """The student's copy or the book cannot be made; the message says what to fix."""
