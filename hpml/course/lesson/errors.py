"""The errors of the lab machinery."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class LabError(HpmlError):
    """Something in a lab cannot be shown or saved; the message says what to do."""


class AnswerError(LabError, ValueError):
    """An answer is not a number, has a wrong unit, is out of range, or is not a choice."""


class PredictionLocked(LabError):
    """A locked prediction cannot be changed."""
