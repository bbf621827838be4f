"""Lets a `Counter` or a `defaultdict` be the dictionary that it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def plain_dictionary(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a dictionary of any kind as a plain one."""
    return dict(result) if isinstance(result, dict) else result
