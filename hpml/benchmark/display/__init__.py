"""Results for the eye: `table` and `plot` show one comparison, `cases` and `sweep_plot` many."""

from __future__ import annotations
