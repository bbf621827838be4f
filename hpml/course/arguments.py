"""Argument types for argparse."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from hpml.base.errors import describe


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return an argparse type for an integer from `low` to `high`."""

    def parse(text: str) -> int:
        if text.isascii() and text.isdecimal() and len(text) < 19 and low <= int(text) <= high:
            return int(text)
        expected = f"a whole number from {low} to {high:,}"
        raise argparse.ArgumentTypeError(f"expected {expected}, received {describe(text)}")

    return parse


positive = whole(1, 10**9)
"""Parse a whole number of at least 1."""
