"""The benchmark panel: choose, run, watch the picture grow, stop and keep what was measured."""

from __future__ import annotations
