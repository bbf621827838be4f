"""What a call returned: was it computed at all, and a copy that no later call can change."""

from __future__ import annotations

import copy
import inspect
import io
from collections.abc import AsyncIterable, Awaitable, Iterable, Iterator, Mapping

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError

_PROMISES = ("add_done_callback", "successful")
"""Methods of the futures of concurrent.futures and torch, and of multiprocessing's results."""


def refuse_unfinished(result: object) -> None:
    """Refuse a result that is still to be computed, or a tuple or dict that holds such."""
    items: Iterable[object] = ()
    if isinstance(result, (tuple, Mapping)):
        items = result.values() if isinstance(result, Mapping) else result
    for item in (result, *items):
        lazy = isinstance(item, (Iterator, Awaitable, AsyncIterable))
        promised = any(callable(getattr(type(item), name, None)) for name in _PROMISES)
        # An open file can be iterated over as well, and is there.
        if (lazy or promised) and not isinstance(item, io.IOBase):
            if inspect.iscoroutine(item):
                item.close()  # Python would warn later that it was never awaited
            raise not_computed(item)


def not_computed(what: object) -> BenchmarkError:
    """Return the error for a call that makes something which is still to be computed."""
    return BenchmarkError(
        f"a call returns {describe(what)}, so nothing was computed yet. Let it finish inside the "
        "call: `list(…)` for an iterator, `asyncio.run(…)` for a coroutine, `.result()` for a "
        "future; to time only its creation, return it in a list."
    )


def snapshot(result: object) -> object:
    """Return a copy of a result; what cannot be copied as it is."""
    if type(result) is dict:
        return {key: snapshot(item) for key, item in result.items()}
    if isinstance(result, list) and set(map(type, result)) == {float}:
        return result.copy()  # at once: there may be millions
    if isinstance(result, (list, tuple)) and type(result) in (list, tuple):
        return type(result)(snapshot(item) for item in result)
    try:
        # A tensor inside a graph refuses to be copied deeply.
        clone = getattr(result, "clone", None) if hasattr(result, "detach") else None
        return clone() if clone is not None else copy.deepcopy(result)
    except Exception:  # noqa: BLE001 - whatever a foreign copy raises
        return result
