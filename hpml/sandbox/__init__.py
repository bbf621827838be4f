"""The room a submission lives in: its notebook read, its functions called, and no answer anywhere.

It stands alone: the standard library only, nothing else of ``hpml``. What leaves it is plain data
(``plain``), which is judged elsewhere.
"""

from __future__ import annotations
