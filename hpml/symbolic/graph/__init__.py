"""The graph between inputs and outputs, as plain immutable data, and what is computed from it."""

from __future__ import annotations

from .collection import Collected, collect
from .data import Call, Graph, Value

__all__ = ["Call", "Collected", "Graph", "Value", "collect"]
