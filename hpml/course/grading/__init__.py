"""Grade submissions without running a line of them in this process.

Five steps, one file each; each step passes a plain value to the next:

1. ``find``: the notebooks that a student or a class submitted: a `Submission`;
2. ``run``: a worker for each exercise (``hpml.course.sandbox``, isolated by ``sandbox``,
   spoken to through ``worker_client``) runs all cells of a notebook and calls the function:
   `Answers`;
3. ``judge``: points and a diagnosis, an `Item`; ``speed`` measures the points for time;
4. ``record``: the items form a `Report`, which is signed and saved; the instructor may override;
5. ``report``: a page for each student; ``tables`` for the class and its learning platform.

``grader`` does steps 2 and 3 for one submission, ``classes`` all five for many side by side.
"""

from __future__ import annotations

from hpml.base.errors import UsageError
from hpml.course.lesson.errors import LabError


class GradingError(LabError):
    """Grading failed; the message says what to do."""


class BadRequest(GradingError, UsageError):
    """The request names something that does not exist, or contradicts itself."""


class CannotIsolate(GradingError):
    """This system lacks what is needed to run submissions safely."""
