"""Grading what others handed in, without running a line of it in this process.

Five steps, a file each, and the plain value that each hands to the next:

1. ``find``: which notebooks a student or a class handed in: a `Submission`;
2. ``run``: a worker for each exercise (``hpml.sandbox``, isolated by ``sandbox``, spoken to through
   ``worker_client``) runs all cells of a notebook and calls the function: `Answers`;
3. ``judge``: answers become points and a diagnosis, an `Item`; ``speed`` measures what is earned by
   time;
4. ``record``: all items are a `Report`, which is signed and kept; the instructor overrides points;
5. ``report``: a page for each student; ``tables`` for the class and its learning platform.

``grader`` does steps 2 and 3 for one submission, ``classes`` all five for many side by side.
"""

from __future__ import annotations

from hpml.base.errors import UsageError
from hpml.course.errors import LabError


class GradingError(LabError):
    """Grading could not be done; the message says what to do."""


class BadRequest(GradingError, UsageError):
    """What grading was asked for is not there or makes no sense; the message says what is."""


class CannotIsolate(GradingError):
    """This system lacks what is needed to run what others handed in."""
