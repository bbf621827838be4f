"""The root of all exceptions of ``hpml``, and safe text of values for their messages."""

from __future__ import annotations

import copyreg
import reprlib
from typing import Any


class HpmlError(Exception):
    """The root of all exceptions of ``hpml``, with the parts of its message as attributes.

    A message says which object is wrong, what was expected, what was received, and what to do.
    Where "OBJECT: expected EXPECTED, received RECEIVED." says it badly, the error has a sentence of
    its own; the parts are kept all the same, so that programs and tests need not read English.

    Args:
        sentence: replaces the sentence that is made of the parts.
        object: what is wrong, by its name.
        expected: what it should be.
        received: what it is, as text, so that the error keeps no value alive.
        remedy: what to do, as a sentence; it ends the message.

    >>> error = HpmlError(object="n", expected="at least 2", received="1", remedy="Pass more.")
    >>> print(error)
    n: expected at least 2, received 1. Pass more.
    >>> error.object, error.received
    ('n', '1')
    """

    def __init__(
        self,
        sentence: str = "",
        *,
        object: str = "",
        expected: str = "",
        received: str = "",
        remedy: str = "",
    ) -> None:
        self.object = object
        self.expected = expected
        self.received = received
        self.remedy = remedy
        if not sentence and (object or expected):
            said = f", received {received}" if received else ""
            sentence = f"{object}: expected {expected}{said}."
        self.sentence = sentence
        between = " " if sentence and remedy and not sentence.endswith("\n") else ""
        super().__init__(f"{sentence}{between}{remedy}")

    @property
    def parts(self) -> dict[str, str]:
        """The arguments that make the same message, as for an error of another family."""
        names = ("sentence", "object", "expected", "received", "remedy")
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> tuple[Any, ...]:
        # By default pickle calls the class with the message, but a class may need other arguments.
        new = copyreg.__newobj__  # type: ignore[attr-defined]
        return new, (type(self), *self.args), self.__dict__


class UsageError(HpmlError):
    """A command got an invalid request; it exits with code 2."""


def describe(value: object, limit: int = 60) -> str:
    """Return one short line that shows `value` in an error message.

    Arrays and tensors are shown by type, shape and dtype, not by content: printing a tensor on a
    GPU would wait for the device. A value whose ``repr`` fails is shown by type.

    Args:
        value: any object.
        limit: most characters to return; at least 10.

    Returns:
        One line of at most `limit` characters, ending in ``...`` if it was cut.

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
    """Stops early in long and deep containers, where `repr` would take seconds."""

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
            place = str(getattr(x, "device", "cpu"))
            on = "" if place == "cpu" else f", device={place}"
            return f"{kind.__name__}(shape={tuple(x.shape)}, dtype={x.dtype}{on})"
        except Exception as error:  # noqa: BLE001 - a foreign repr may raise anything
            return f"<{kind.__name__}, whose repr raises {type(error).__name__}>"


def _text(value: object, limit: int) -> str:
    """Return the text of `value`, of any length."""
    if isinstance(value, str):
        return repr(value[: 2 * limit])
    try:
        return _Short(limit).repr(value)
    except Exception as error:  # noqa: BLE001 - an int of 10,000 digits, a dict changed by a thread
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"


def is_text(value: object) -> bool:
    """Return whether `value` is a string that is not blank.

    >>> is_text("why"), is_text("  "), is_text(3)
    (True, False, False)
    """
    return isinstance(value, str) and bool(value.strip())
