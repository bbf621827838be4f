"""Read and format numbers with units: ``3``, ``3 us``, ``1.5 ms``, ``2 MB``."""

from __future__ import annotations

import contextlib
import math
import re
from dataclasses import dataclass

from hpml.base.errors import describe, is_text
from hpml.base.tables import readable
from hpml.course.lesson.errors import AnswerError

# Each line: kind, size in the kind's base unit, printed name, other spellings.
_LINES = (
    ("a time", 1e-9, "ns", "nanosecond nanoseconds"),
    ("a time", 1e-6, "µs", "us μs microsecond microseconds"),
    ("a time", 1e-3, "ms", "millisecond milliseconds"),
    ("a time", 1.0, "s", "sec second seconds"),
    ("a time", 60.0, "min", "minute minutes"),
    ("a number of bytes", 1.0, "B", "byte bytes"),
    ("a number of bytes", 1e3, "kB", "KB"),
    ("a number of bytes", 1e6, "MB", ""),
    ("a number of bytes", 1e9, "GB", ""),
    ("a number of bytes", 2.0**10, "KiB", ""),
    ("a number of bytes", 2.0**20, "MiB", ""),
    ("a number of bytes", 2.0**30, "GiB", ""),
    ("a ratio", 1.0, "×", "x times fold"),
    ("a ratio", 0.01, "%", "percent"),
)

_GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
"""The integer part in groups of three digits: 1,000 and the 12,500 of 12,500.5."""

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Unit:
    """A unit: its printed name, the kind of quantity, and its size in the kind's base unit."""

    name: str
    kind: str
    size: float

    @property
    def examples(self) -> str:
        """Examples of answers in this unit, for placeholders and messages."""
        return f"3 or 3 {self.name}"


_UNITS = {
    word: Unit(name, kind, size)
    for kind, size, name, aliases in _LINES
    for word in (name, *aliases.split())
}
_BY_LOWER_CASE = {word.lower(): unit for word, unit in reversed(_UNITS.items())}


def find_unit(name: str) -> Unit:
    """Return the unit called `name`; an unknown word is the unit of a count."""
    if not is_text(name) or len(name) > 40:
        raise AnswerError(
            object="unit",
            expected="a short text such as 'µs', 'MB', '×' or 'calls'",
            received=describe(name),
            remedy="Write unit='calls' for a count of calls.",
        )
    word = name.strip()
    known = _UNITS.get(word) or _BY_LOWER_CASE.get(word.lower())
    return known or Unit(word, f"a count of {word}", 1.0)


def read_number(
    answer: object, unit: Unit, *, at_least: float = 0.0, at_most: float | None = None
) -> float:
    """Return `answer` as a number in `unit`."""
    value = _from_text(answer, unit) if isinstance(answer, str) else _from_number(answer, unit)
    if not math.isfinite(value):
        raise _refused(answer, f"a finite number, {_expected(unit)}")
    if value < at_least or (at_most is not None and value > at_most):
        span = f"at least {format_quantity(at_least, unit)}"
        if at_most is not None:
            span += f" and at most {format_quantity(at_most, unit)}"
        raise _refused(answer, f"a number of {span}")
    return value


def measured_value(measured: object, unit: Unit) -> float:
    """Return a measured result as a number in `unit`."""
    median = getattr(measured, "median", None)
    if median is not None and not callable(median):
        return _converted(float(median), find_unit("s"), unit, describe(measured))
    value = getattr(measured, "value", None)
    if value is not None and not callable(value):
        return _converted(float(value), find_unit("×"), unit, describe(measured))
    return read_number(measured, unit, at_least=-math.inf)


def measured_ends(measured: object, unit: Unit) -> tuple[float | None, float | None]:
    """Return the ends of a measured result's interval in `unit`; None for a plain number.

    Those of a Ratio are its 95 % interval, those of a Measurement the middle half of its samples.
    """
    quartiles = getattr(measured, "quartiles", None)
    if isinstance(quartiles, tuple):
        shown = describe(measured)
        low, high = (_converted(q, find_unit("s"), unit, shown) for q in quartiles[::2])
        return low, high
    first, last = getattr(measured, "low", None), getattr(measured, "high", None)
    if isinstance(first, float) and isinstance(last, float):
        ends = (_converted(e, find_unit("×"), unit, describe(measured)) for e in (first, last))
        low, high = ends
        return low, high
    return None, None


def format_number(value: float) -> str:
    """Return `value` with three significant digits, or all digits of an integer."""
    if value == 0:
        return "0"
    size = abs(value)
    if value == int(value) and size < 1e9:
        return f"{int(value):,}"
    return readable(value, 3)


def format_quantity(value: float, unit: Unit) -> str:
    """Return `value` with its unit as text."""
    name = unit.name
    if value == 1 and unit.kind.startswith("a count") and name.endswith("s"):
        name = name[:-1]
    return f"{format_number(value)}{'' if name == '×' else ' '}{name}"


def _expected(unit: Unit) -> str:
    return f"{unit.kind} such as {unit.examples}"


def _refused(answer: object, expected: str) -> AnswerError:
    return AnswerError(
        object="answer",
        expected=expected,
        received=describe(answer),
        remedy="Write a number, with or without a unit.",
    )


def _from_number(answer: object, unit: Unit) -> float:
    with contextlib.suppress(TypeError, ValueError, OverflowError, RuntimeError):
        if not isinstance(answer, bool):
            return float(answer)  # type: ignore[arg-type]
    raise _refused(answer, _expected(unit))


def _from_text(answer: str, unit: Unit) -> float:
    text = answer.strip().lstrip("~≈").strip().replace("_", "")
    if not text:
        raise _refused(answer, _expected(unit))
    text = _without_commas(text, answer)
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _refused(answer, _expected(unit))
    number, word = float(match[1]), match[2].strip()
    if not word or _same_word(word, unit.name):
        return number
    return _converted(number, find_unit(word), unit, describe(answer))


def _without_commas(text: str, answer: str) -> str:
    plain = _GROUPED.sub(lambda found: found[0].replace(",", ""), text)
    if "," in plain:
        raise AnswerError(
            object="answer",
            expected="commas between groups of three digits, as in 1,000",
            received=describe(answer),
            remedy="Write a point, as in 1.5, or no comma.",
        )
    return plain


def _same_word(word: str, name: str) -> bool:
    return word.lower().rstrip("s") == name.lower().rstrip("s") and word not in _UNITS


def _converted(value: float, own: Unit, unit: Unit, shown: str) -> float:
    if own.kind != unit.kind:
        raise AnswerError(
            object="answer",
            expected=_expected(unit),
            received=f"{shown}, which is {own.kind}",
            remedy=f"Write it in {unit.name}.",
        )
    # Rounded to 12 digits, so that 1.5 ms is 1500 µs and not 1500.0000000000002.
    return value if own.size == unit.size else float(f"{value * own.size / unit.size:.12g}")
