"""The errors of grading itself; what is wrong with a submission is a verdict, never an error."""

from __future__ import annotations

from hpml.course.errors import LabError


class GradingError(LabError):
    """Grading could not be done; the message says what to do."""


class CannotIsolate(GradingError):
    """This system lacks what is needed to run what others handed in."""
