"""Measure the memory that a call allocates, as Python's allocator counts it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")


def peak_of(function: Callable[..., Value], arguments: dict[str, Any]) -> tuple[Value, int]:
    """Return the result of a call and its peak of newly allocated bytes."""
    gc.collect()
    was_on = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        result = function(**arguments)
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_on:
            tracemalloc.stop()
