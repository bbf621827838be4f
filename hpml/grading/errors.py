"""The errors of grading itself; what is wrong with a submission is a verdict, never an error."""

from __future__ import annotations

from hpml.course.errors import LabError

__all__ = ["CannotIsolate", "GradingError", "GradingInterrupted"]


class GradingError(LabError):
    """Grading could not be done; the message says what to do.

    >>> issubclass(CannotIsolate, GradingError) and issubclass(GradingInterrupted, GradingError)
    True
    """


class CannotIsolate(GradingError):
    """This system lacks what is needed to run a submission and to end all that it starts."""


class GradingInterrupted(GradingError):
    """The grading process was told to stop, or the process that started it is gone."""
