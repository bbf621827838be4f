"""The exceptions of `hpml.benchmark` and the argument checks that raise them."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any

from hpml.base.errors import HpmlError, describe


class BenchmarkError(HpmlError):
    """A measurement is impossible or invalid; the message says what to do."""


class ContenderError(BenchmarkError):
    """A contender failed; `comparison` has the complete rounds before, or is None."""

    comparison: object = None


def error_text(error: BaseException) -> str:
    """Return an exception's message and notes, with its type unless it is a `BenchmarkError`."""
    try:
        message = str(error)
    except Exception as other:  # noqa: BLE001 - a foreign __str__ may raise anything
        message = f"(its __str__ raises {type(other).__name__})"
    if not isinstance(error, BenchmarkError):
        message = f"{type(error).__name__}: {message}"
    return " ".join([message, *getattr(error, "__notes__", ())])


class RecordError(BenchmarkError):
    """A file of recorded cases is missing or invalid."""


def whole_number(name: str, value: Any, least: float = -math.inf) -> int:
    """Return an integer of at least `least`, also from NumPy, as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least:
        bound = "" if math.isinf(least) else f" of at least {least}"
        raise BenchmarkError(f"{name}: expected a whole number{bound}, got {describe(value)}.")
    return number


def real(
    name: str, value: Any, expected: str, least: float = 0.0, below: float = math.inf
) -> float:
    """Return a finite number from `least` to below `below` as a float."""
    try:
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            number = float(value)
            if least <= number < below:
                return number
    except OverflowError:
        pass
    raise BenchmarkError(f"{name}: expected {expected}, got {describe(value)}.")


def function(name: str, value: Any, expected: str) -> None:
    """Raise an error unless `value` is a function or None."""
    if value is not None and not callable(value):
        raise BenchmarkError(f"{name}: expected {expected}, or None, got {describe(value)}.")


def text(name: str, value: Any) -> str:
    """Return a non-empty string."""
    if not (isinstance(value, str) and value):
        raise BenchmarkError(f"{name}: expected a non-empty string, got {describe(value)}.")
    return value
