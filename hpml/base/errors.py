"""The root of every error that ``hpml`` raises, and a safe way to name a value in a message."""

from __future__ import annotations

import reprlib
from typing import Any


class HpmlError(Exception):
    """Something the user can put right; the message says how.

    >>> issubclass(HpmlError, Exception)
    True
    """


class UsageError(HpmlError):
    """A command was asked for something that is not there or makes no sense; it ends with 2."""


def describe(value: object, limit: int = 60) -> str:
    """Return one short line that shows `value` in an error message.

    Arrays and tensors are shown by type, shape and dtype and never by content: printing the numbers
    of a tensor on a GPU would wait for the device. A value whose ``repr`` fails is shown by type.

    Args:
        value: anything.
        limit: the most characters to return; at least 10.

    Returns:
        One line without line breaks, at most `limit` characters, ended by ``...`` where it was cut.

    >>> describe([1, 2, 3])
    '[1, 2, 3]'
    >>> describe("a" * 100, limit=20)
    "'aaaaaaaaaaaaaaaa..."
    >>> describe(range(10**9))
    'range(0, 1000000000)'
    """
    limit = max(limit, 10)
    line = " ".join(_text(value, limit).split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


class _Short(reprlib.Repr):
    """Stops early inside long and deep containers, where `repr` would take seconds."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 4 * limit
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = limit

    def repr_instance(self, x: Any, level: int) -> str:
        kind = type(x)
        try:
            if not (hasattr(kind, "shape") and hasattr(kind, "dtype")):
                return repr(x)
            if kind.__module__ == "numpy" and x.shape == ():  # a number, with a short repr
                return repr(x)
            return f"{kind.__name__}(shape={tuple(x.shape)}, dtype={x.dtype})"
        except Exception as error:  # noqa: BLE001 - whatever a foreign repr raises, we have a message
            return f"<{kind.__name__}, whose repr raises {type(error).__name__}>"


def _text(value: object, limit: int) -> str:
    """Return the text of `value`, of any length."""
    if isinstance(value, str):
        return repr(value[: 2 * limit])
    try:
        return _Short(limit).repr(value)
    except Exception as error:  # noqa: BLE001 - an int of 10,000 digits, a dict that changes meanwhile
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def is_text(value: object) -> bool:
    """Return whether `value` is a text with something in it, whatever its annotation promised.

    >>> is_text("why"), is_text("  "), is_text(3)
    (True, False, False)
    """
    return isinstance(value, str) and bool(value.strip())
