"""The exercises of the course."""

from __future__ import annotations
