"""Replaces a forbidden module in the sandbox; importing it fails."""

from __future__ import annotations

if __name__ != "hpml.course.sandbox.not_allowed":
    raise ImportError(f"{__name__} is not allowed in this exercise.")
