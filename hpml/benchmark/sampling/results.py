"""Refuse results that are not computed yet, and copy results before later calls change them."""

from __future__ import annotations

import copy
import inspect
import io
from collections.abc import AsyncIterable, Awaitable, Iterable, Iterator, Mapping

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError

_FUTURE_METHODS = ("add_done_callback", "successful")
"""Of futures in concurrent.futures and torch, and of asynchronous results in multiprocessing."""


def refuse_unfinished(result: object) -> None:
    """Raise an error for an iterator, awaitable or future, also in a tuple or dict."""
    items: Iterable[object] = ()
    if isinstance(result, (tuple, Mapping)):
        items = result.values() if isinstance(result, Mapping) else result
    for item in (result, *items):
        lazy = isinstance(item, (Iterator, Awaitable, AsyncIterable))
        future = any(callable(getattr(type(item), name, None)) for name in _FUTURE_METHODS)
        # An open file is an iterator but a finished result.
        if (lazy or future) and not isinstance(item, io.IOBase):
            if inspect.iscoroutine(item):
                item.close()  # avoids Python's warning that it was never awaited
            raise not_computed(item)


def not_computed(result: object) -> BenchmarkError:
    """Return the error for a call that only creates an iterator, coroutine or future."""
    return BenchmarkError(
        f"a call returns {describe(result)}, so nothing was computed yet. Let it finish inside the "
        "call: `list(…)` for an iterator, `asyncio.run(…)` for a coroutine, `.result()` for a "
        "future; to time only its creation, return it in a list."
    )


def snapshot(result: object) -> object:
    """Return a copy of a result, or the result itself if it cannot be copied."""
    try:
        # deepcopy fails for a tensor that is part of an autograd graph.
        return result.clone() if hasattr(result, "clone") else copy.deepcopy(result)
    except Exception:  # noqa: BLE001 - a foreign __deepcopy__ may raise anything
        return result
