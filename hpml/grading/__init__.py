"""Grading what others handed in, without running a line of it in this process.

A submission is a notebook or a folder of notebooks named as the labs. Each of its exercises runs in
a worker of its own, which knows no answer: in bubblewrap (``sandbox``) for a class, in a plain
process for one's own notebook.

``submission`` finds what was handed in → ``pool`` grades submissions side by side →
``grade_exercise`` asks a worker through a ``worker_client`` → the outcomes are judged, time is
measured (``speed``) → ``report``. ``classes`` does it for a folder of submissions, keeps signed
``records``, and writes ``feedback`` and the ``tables`` of learning platforms. The worker is
``hpml.sandbox``.

>>> from hpml.grading.reports.report import Item
>>> Item("06", 3, "ordered_forward", 3.0).status
'not graded'
"""

from __future__ import annotations
