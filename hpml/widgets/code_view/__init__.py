"""The code view: a model's graph and the source that runs it, each pointing at the other."""

from __future__ import annotations
