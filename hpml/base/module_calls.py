"""Let a measurement run module calls without the interception of `hpml.symbolic`.

While symbolic values are alive, `hpml.symbolic` intercepts each call of a module. It registers here
how to suspend that, so measurements need not import it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Suspension = Callable[[], contextlib.AbstractContextManager[None]]

_registered: list[Suspension] = []


def suspend_in_measurements(suspension: Suspension) -> Suspension:
    """Register a context manager to enter around each measurement."""
    _registered.append(suspension)
    return suspension


def measuring(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function, run inside all registered context managers."""

    @functools.wraps(function)
    def measure(*args: P.args, **kwargs: P.kwargs) -> R:
        with contextlib.ExitStack() as stack:
            for suspension in _registered:
                stack.enter_context(suspension())
            return function(*args, **kwargs)

    return measure
