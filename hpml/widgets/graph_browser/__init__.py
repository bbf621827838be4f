"""The graph of a model, node by node: what a node is, where it comes from and who uses it."""

from __future__ import annotations
