"""The player of executions: one graph, executed in several ways side by side, step by step."""

from __future__ import annotations
