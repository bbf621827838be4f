"""The graph browser: a model's graph, node by node."""

from __future__ import annotations
