"""A lecture deck of a lab: what moves in the lab moves on the slides.

`make_slides` in `deck` writes it; `recorded` shows the results of the quiet run.
"""

from __future__ import annotations
