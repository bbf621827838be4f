"""The code that runs in the worker beside a submission: it reads the notebook and calls functions.

It knows no answers and imports the standard library only, nothing else of ``hpml``. Its results are
plain data (``plain``), judged in the grader.
"""

from __future__ import annotations
