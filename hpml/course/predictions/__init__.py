"""A question before each measurement, its locked answer, and how near the answers came."""

from __future__ import annotations
