"""The code view: a model's graph next to the source that runs it."""

from __future__ import annotations
