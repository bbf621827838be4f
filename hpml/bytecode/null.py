"""The marker of an empty slot, for C's null pointer."""

from __future__ import annotations

from typing import Any


class _Null:
    """No value in this slot, or no ``self`` for this call."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NULL"


NULL: Any = _Null()
