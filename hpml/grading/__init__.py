"""Grading what others handed in, without running a line of it in this process.

Five steps, a file each:

1. ``find``: which notebooks a student or a class handed in, and their cells;
2. ``run``: a worker for each exercise (``hpml.sandbox``, isolated by ``sandbox``, spoken to through
   ``worker_client``) runs all cells of a notebook and calls the function;
3. ``judge``: outcomes become points and a diagnosis; ``speed`` measures what is earned by time;
4. ``record``: what was graded is signed and kept, and what the instructor overrides;
5. ``report``: a page for each student; ``tables`` for the class and its learning platform.

``pool`` does steps 2 and 3 for one submission, or for many side by side; ``classes`` does all five.
"""

from __future__ import annotations

from hpml.course.errors import LabError


class GradingError(LabError):
    """Grading could not be done; the message says what to do."""


class CannotIsolate(GradingError):
    """This system lacks what is needed to run what others handed in."""
