"""An exercise: declared once, tried in the notebook, judged outside of what is judged."""

from __future__ import annotations
