"""Animations: keyframes of one template, played and stepped through without a kernel."""

from __future__ import annotations
