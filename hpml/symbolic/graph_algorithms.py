"""Pictures of graphs."""

from __future__ import annotations
