"""What moves on a page: each a view over a value of the library, that prints as text as well.

A widget computes in Python what it shows, so that its logic is tested without a browser; its first
state stands in a page that is exported or opened again without a kernel.

>>> from hpml.widgets import explore
>>> explore(lambda n: n * n, n=[3, 4, 5])
9
"""

from __future__ import annotations

from hpml.widgets.errors import WidgetError
from hpml.widgets.explore import explore

__all__ = ["WidgetError", "explore"]
