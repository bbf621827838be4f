"""The benchmark panel: choose what is measured, run it in a process of its own, see it grow."""

from __future__ import annotations
