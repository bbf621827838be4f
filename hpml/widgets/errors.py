"""The error of everything that moves on a page."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class WidgetError(HpmlError):
    """A widget was asked to show something it cannot; the message says what it takes.

    >>> issubclass(WidgetError, HpmlError)
    True
    """
