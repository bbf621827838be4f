"""Measure memory line by line, over time, and for the backward pass."""

from __future__ import annotations
