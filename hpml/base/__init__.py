"""Shared foundation: errors, tables, files, environment records and figures.

Numbers are formatted the same way everywhere, and a table displays as text in a terminal and as
HTML in a page:

>>> from hpml.base import Table, format_seconds
>>> print(Table(["execution", "time"], [["lazy", 1.2e-3], ["codegen", 8.1e-4]],
...             formats={"time": format_seconds}))
execution     time
---------  -------
lazy       1.20 ms
codegen     810 µs

``files`` writes files atomically, ``environment`` records the machine and versions of a
measurement, ``style`` gives all figures the same look. Nothing here imports torch, and only the
functions that draw import matplotlib.
"""

from __future__ import annotations

from hpml.base.environment import environment_record
from hpml.base.errors import HpmlError, describe
from hpml.base.files import append_line, write_atomically
from hpml.base.tables import Table, format_bytes, format_seconds, readable

__all__ = [
    "HpmlError",
    "Table",
    "append_line",
    "describe",
    "environment_record",
    "format_bytes",
    "format_seconds",
    "readable",
    "write_atomically",
]
