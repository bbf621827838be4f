"""Let a measurement run module calls as PyTorch made them.

While symbolic values are alive, `hpml.symbolic` notices each call of a module. It puts here how to
suspend that. A measurement that does not know the package does so with
``with module_calls.suspended():``, or as a whole with ``@module_calls.measuring``.
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
