"""Grading what others handed in, without running a line of it in this process.

A submission is a notebook or a folder of notebooks named as the labs. Each of its exercises runs in
a process of its own, which knows no answer, below a warden, which does:

``submission`` finds what was handed in → ``crew`` hands it to a warden → ``warden`` goes through
its exercises → ``trial`` asks a worker through a ``conversation`` → the outcomes are judged, time
is measured (``speed``) → ``report``. ``classes`` does it for a folder of submissions, and
``isolation`` ends what they leave behind. The worker is ``hpml.sandbox``.

>>> from hpml.grading.report import Item
>>> Item("06", 3, "ordered_forward", 3.0).status
'not graded'
"""

from __future__ import annotations
