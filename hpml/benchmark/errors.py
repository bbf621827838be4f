"""The errors of `hpml.benchmark`, one family, and the checks of arguments that raise them."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any

from hpml.base.errors import HpmlError, describe


class BenchmarkError(HpmlError):
    """Something about a measurement is not as it should be; the message says what to do."""


class ContenderError(BenchmarkError):
    """A contender failed; `comparison` holds the complete rounds before, None if there are none."""

    comparison: object = None


def error_text(error: BaseException) -> str:
    """Return what an exception says, with its kind unless it is ours; never fails itself.

    >>> error_text(ValueError("no such model"))
    'ValueError: no such model'
    """
    try:
        words = str(error)
    except Exception as other:  # noqa: BLE001 - whatever a foreign text raises
        words = f"(its text raises {type(other).__name__})"
    words = words if isinstance(error, BenchmarkError) else f"{type(error).__name__}: {words}"
    return " ".join([words, *getattr(error, "__notes__", ())])


class RecordError(BenchmarkError):
    """A file of recorded cases is not what it should be."""


def whole_number(name: str, value: Any, least: float = -math.inf) -> int:
    """Return a whole number of at least `least`, also one of numpy's, as an int."""
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool) or found < least:
        most = "" if math.isinf(least) else f" of at least {least}"
        raise BenchmarkError(f"{name}: expected a whole number{most}, got {describe(value)}.")
    return found


def real(
    name: str, value: Any, expected: str, least: float = 0.0, below: float = math.inf
) -> float:
    """Return a finite number from `least` to below `below` as a float."""
    try:
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            found = float(value)
            if least <= found < below:
                return found
    except OverflowError:
        pass
    raise BenchmarkError(f"{name}: expected {expected}, got {describe(value)}.")


def function(name: str, value: Any, expected: str) -> None:
    """Refuse what is neither a function nor None, such as the result of one."""
    if value is not None and not callable(value):
        raise BenchmarkError(f"{name}: expected {expected}, or None, got {describe(value)}.")


def text(name: str, value: Any) -> str:
    """Return a text that is not empty."""
    if not (isinstance(value, str) and value):
        raise BenchmarkError(f"{name}: expected a text that is not empty, got {describe(value)}.")
    return value
