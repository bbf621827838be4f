"""Exercises: declared once, tried in the notebook, judged outside the process of the submission."""

from __future__ import annotations
