"""Calls of functions on symbolic data, under the module name of the documents."""

from __future__ import annotations

from .building.handles import add_to_graph

__all__ = ["add_to_graph"]
