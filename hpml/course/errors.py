"""The errors of the lab machinery: each one says what was expected and what to type instead."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class LabError(HpmlError):
    """Something in a lab cannot be shown or kept; the message says what to do."""


class AnswerError(LabError, ValueError):
    """An answer could not be read: not a number, a wrong unit, out of range, not a choice."""


class PredictionLocked(LabError):
    """A locked prediction was to be changed; what is locked stays, or it would be no prediction."""
