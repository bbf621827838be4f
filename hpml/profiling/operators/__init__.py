"""Operators of PyTorch: which ran, what each took, and a report on one that is slow."""

from __future__ import annotations
