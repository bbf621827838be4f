"""How many references lead to an object: which bytes in front of it say so, on which Python.

Until 3.13 one word counts. 3.14 needs half of it, and keeps flags in the rest. Without the lock
(free-threaded) the thread that made the object counts apart from all others, so that it need not
wait for them. Objects that live forever are not counted at all (since 3.12, PEP 683).
"""

from __future__ import annotations

import sys
import sysconfig
from dataclasses import dataclass

_ONE_WORD = {"ob_refcnt": 8}
_HALF_A_WORD = {"ob_refcnt": 4, "ob_overflow": 2, "ob_flags": 2}
_BY_THREAD = {
    "ob_tid": 8,
    "ob_flags": 2,
    "ob_mutex": 1,
    "ob_gc_bits": 1,
    "ob_ref_local": 4,
    "ob_ref_shared": 8,
}
_IMMORTAL_FROM = 1 << 31
_IMMORTAL_LOCAL = (1 << 32) - 1
_IMMORTAL_ASKED = 3 << 30
"""What ``sys.getrefcount`` says about an immortal object on a free-threaded build."""


@dataclass(frozen=True)
class References:
    """What the bytes in front of an object say."""

    count: int | None
    asked: int
    words: dict[str, int]


def is_free_threaded() -> bool:
    """Return whether this Python is built to run without the lock."""
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def count_layout() -> dict[str, int]:
    """Return the fields before the type pointer, by name, with the bytes that each has."""
    if is_free_threaded():
        return _BY_THREAD
    return _HALF_A_WORD if sys.version_info >= (3, 14) else _ONE_WORD


def references_of(data: bytes, layout: dict[str, int]) -> References:
    """Return what the first bytes of an object say about the references to it.

    >>> references_of((3).to_bytes(8, "little"), {"ob_refcnt": 8}).count
    3
    """
    words, start = {}, 0
    for name, size in layout.items():
        words[name] = int.from_bytes(data[start : start + size], "little")
        start += size
    if "ob_ref_local" in words:
        if words["ob_ref_local"] == _IMMORTAL_LOCAL:
            return References(None, _IMMORTAL_ASKED, words)
        # The two lowest bits of what the other threads counted are flags.
        count = words["ob_ref_local"] + (words["ob_ref_shared"] >> 2)
        return References(count, count, words)
    count = words["ob_refcnt"]
    immortal = sys.version_info >= (3, 12) and count & 0xFFFFFFFF >= _IMMORTAL_FROM
    return References(None if immortal else count, count, words)
