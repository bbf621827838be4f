"""Let a measurement run module calls without the interception of `hpml.symbolic`.

While symbolic values are alive, `hpml.symbolic` intercepts each call of a module, and sets
`suspended` here. Measurements use it without importing that package.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

suspended: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext


def measuring(function: Callable[P, R]) -> Callable[P, R]:
    """Suspend the interception while a function runs."""

    @functools.wraps(function)
    def measure(*args: P.args, **kwargs: P.kwargs) -> R:
        with suspended():
            return function(*args, **kwargs)

    return measure
