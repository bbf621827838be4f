"""The labs, one folder each.

``catalogue`` finds their exercises and texts; ``checking`` judges a function in the notebook;
``kept`` saves the functions that passed; ``overview`` shows progress over the whole course.
"""

from __future__ import annotations
