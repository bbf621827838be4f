"""Lab 06: running a network lazily, or in an order computed before."""

from __future__ import annotations

from hpml.labs.lab_06_forward_order.forwards import (
    CallCounts,
    Pause,
    beside_published,
    change,
    deepest,
    extra_per_node,
    folded_source,
    in_words,
    interrupted,
    profile_calls,
)

__all__ = [
    "CallCounts",
    "Pause",
    "beside_published",
    "change",
    "deepest",
    "extra_per_node",
    "folded_source",
    "in_words",
    "interrupted",
    "profile_calls",
]
