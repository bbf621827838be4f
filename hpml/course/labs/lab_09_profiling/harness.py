"""The harness of lab 09: accepts a `Counter` or a `defaultdict` as a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def plain_dictionary(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return an instance of any dictionary class as a plain dict."""
    return dict(result) if isinstance(result, dict) else result
