"""The error of `hpml.widgets`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class WidgetError(HpmlError):
    """A widget cannot show its arguments. The root of the family."""
