"""The reference for the speed of `ordered_forward`; it runs in a separate worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def ordered_forward(
    order: Sequence[str],
    parents: Mapping[str, Sequence[str]],
    operations: Mapping[str, Callable[..., Any]],
    inputs: Mapping[str, Any],
    output: str,
) -> Any:
    """Return the value of `output` by one loop over the order."""
    values = dict(inputs)
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
