"""What runs beside a submission: reads the notebook, calls functions, knows no answers.

It stands alone: the standard library only, nothing else of ``hpml``. What leaves it is plain data
(``plain``), which is judged elsewhere.
"""

from __future__ import annotations
