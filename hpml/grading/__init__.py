"""Grading what others handed in, without running a line of it in this process.

``submission`` finds what was handed in → ``pool`` grades submissions side by side →
``grade_exercise`` asks a worker (``hpml.sandbox``, kept apart by ``sandbox``) through a
``worker_client`` → the outcomes are judged, time is measured (``speed``) → ``reports``. ``classes``
does it for a folder of submissions.
"""

from __future__ import annotations
