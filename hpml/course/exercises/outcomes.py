"""What a call of a student's function came to, as plain values that cannot lie about themselves.

They are made from tagged plain data (``hpml.sandbox.plain``): what a submission returned has been
reduced to values of exactly the built-in types, so nothing here runs a line of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["NoAnswer", "Outcome", "Raised", "Returned"]


@dataclass(frozen=True)
class Returned:
    """The call returned.

    Attributes:
        value: what the worker's `observe` function made of the result: None, bool, int, float,
            complex, str, bytes, list, tuple, dict, set, frozenset of exactly these types, or an
            ``Array`` or ``Opaque`` of ``hpml.sandbox.plain``.
        changed: the parameters whose argument was another after the call, with what it became.
    """

    value: object
    changed: Mapping[str, object]


@dataclass(frozen=True)
class Raised:
    """The call raised.

    Attributes:
        type: the exception's class by name, ``"KeyError"``.
        bases: the names of all its classes, itself first.
        message: its text, cut; empty where making the text raised.
        line: the line of the cell where it was raised, with its text; empty if unknown.
    """

    type: str
    bases: tuple[str, ...]
    message: str
    line: str = ""


@dataclass(frozen=True)
class NoAnswer:
    """The call gave no answer: too slow, out of memory, the process ended, the channel was garbled.

    Attributes:
        reason: one of ``"too slow"``, ``"too much memory"``, ``"too many processes"``,
            ``"ended"``, ``"garbled"``.
        text: a sentence for the student.
    """

    reason: str
    text: str


Outcome = Returned | Raised | NoAnswer
