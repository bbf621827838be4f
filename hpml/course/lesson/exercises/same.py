"""Find the first difference between two plain values: type, then length or shape, then values.

>>> difference([1, 2, 3, 4], [1, 2, 3, 4.0])
'[3]: expected int 4, received float 4.0'
>>> difference((1, 2), {1, 2})
'expected a tuple, received a set: {1, 2}'
"""

from __future__ import annotations

import itertools
import json
import math
import reprlib
from collections.abc import Callable
from typing import Any, NamedTuple

from hpml.course.lesson.exercises.exercise import Case, Wrong
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, Raised
from hpml.course.sandbox.plain import Array, Opaque, as_plain, encode

_EXACT_INTEGER = 2**53  # floats represent every integer up to here exactly
_CONTAINERS: dict[type, str] = {
    list: "a list",
    tuple: "a tuple",
    dict: "a dict",
    set: "a set",
    frozenset: "a frozenset",
}

_ALIKE = ({list, tuple}, {set, frozenset})


class _Allowed(NamedTuple):
    """How far a float may be from the expected one."""

    tolerance: float  # as a fraction of the expected number
    absolute: float  # for any number: 1e-300 is not 0 if this is 0


def difference(
    expected: object, received: object, *, tolerance: float = 0.0, absolute: float = 0.0
) -> str | None:
    """Return where and how `received` differs from `expected`, or None if it does not.

    Types must be equal: True is not 1, and 1 is not 1.0. These are accepted: a list for a tuple, a
    set for a frozenset and the reverse, and, with a tolerance, an int for a float. A float may
    differ by `tolerance` as a fraction of the expected one, or by `absolute`, whichever is more.
    The order of a dictionary does not matter; nan equals nan.

    >>> difference(1e-300, 0.0, tolerance=1e-9)
    'expected 1e-300, received 0.0'
    >>> difference(1e-300, 0.0, tolerance=1e-9, absolute=1e-12) is None
    True
    """
    return _part(as_plain(expected), received, _Allowed(tolerance, absolute), "")


def alike(one: object, other: object) -> bool:
    """Return whether two plain values are equal, up to the rounding of floats."""
    return _part(one, other, _Allowed(1e-9, 1e-12), "") is None


def expect(
    oracle: Callable[[Case], object],
    *,
    tolerance: float = 0.0,
    absolute: float | Callable[[Case], float] = 0.0,
) -> Callable[[Case, Outcome], Wrong | None]:
    """Return a judge that expects the oracle's value for a case.

    Floats may differ as in `difference`; `absolute` is a number or says it for each case. If the
    oracle raises, the call must raise an exception of the same type, whose message contains the
    oracle's message.

    >>> from hpml.course.lesson.exercises.outcomes import Returned
    >>> judge = expect(lambda case: case.data["n"] ** 2)
    >>> judge(Case("three", {"n": 3}), Returned(9, {})) is None
    True
    >>> judge(Case("three", {"n": 3}), Returned(6, {}))
    Wrong(expected='9', received='6', why='')
    """

    def judge(case: Case, outcome: Outcome) -> Wrong | None:
        try:
            expected = oracle(case)
        except Exception as error:  # noqa: BLE001 - the oracle's exception is the expected one
            name, text = type(error).__name__, str(error)
            if isinstance(outcome, Raised) and name in outcome.bases and text in outcome.message:
                return None
            also = f" with {text} in its message" if text else ""
            return Wrong(f"raises {name}{also}", shown(outcome))
        if isinstance(outcome, Raised | NoAnswer):
            return Wrong(written(as_plain(expected)), shown(outcome))
        most = absolute(case) if callable(absolute) else absolute
        where = difference(expected, outcome.value, tolerance=tolerance, absolute=most)
        if where is None:
            return None
        # For two numbers or texts, expected and received are enough.
        simple = type(expected) is type(outcome.value) and type(expected) not in _CONTAINERS
        return Wrong(written(as_plain(expected)), shown(outcome), "" if simple else where)

    return judge


def shown(outcome: Outcome) -> str:
    """Return the outcome of a call as a short text.

    >>> shown(Raised("KeyError", ("KeyError",), "'a'"))
    "raises KeyError: 'a'"
    """
    if isinstance(outcome, NoAnswer):
        return f"no answer: {outcome.reason}"
    if isinstance(outcome, Raised):
        text = f"raises {outcome.type}"
        return f"{text}: {_one_line(outcome.message)}" if outcome.message else text
    return _value(outcome.value)


def written(value: object, limit: int = 200) -> str:
    """Return a plain value as Python source, truncated if it is long.

    >>> written({"b": {2, 1}, "a": [None]})
    "{'b': {1, 2}, 'a': [None]}"
    """
    line = _IN_ORDER.repr(value)
    return line if len(line) <= limit else line[: limit - 3] + "..."


class _InOrder(reprlib.Repr):
    """Write up to 300 items of a container; do not sort dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 20
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = 300
        self.maxstring = self.maxother = self.maxlong = 2000

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if not x or level <= 0:
            return "{...}" if x else "{}"
        pairs = [
            f"{self.repr1(key, level - 1)}: {self.repr1(x[key], level - 1)}"
            for key in itertools.islice(x, self.maxdict)
        ]
        return f"{{{', '.join(pairs)}{', ...' if len(x) > self.maxdict else ''}}}"

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < 1000 else hex(x)  # repr refuses over 4,300 digits


_IN_ORDER = _InOrder()


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157] + "..."


def _value(value: object) -> str:
    if isinstance(value, Opaque):
        return f"{value.text} (of type {value.type})"
    return written(value)


def _named(value: object) -> str:
    """Return type and value, such as ``"float 4.0"``."""
    if value is None:
        return "None"
    if type(value) in _CONTAINERS:
        return f"{_CONTAINERS[type(value)]}: {written(value, 60)}"
    if isinstance(value, Opaque | Array):
        return _value(value)
    return f"{type(value).__name__} {written(value, 60)}"


def _part(expected: Any, received: Any, allowed: _Allowed, path: str) -> str | None:
    lead = f"{path}: " if path else ""
    kind = type(expected)
    if any(allowed) and kind is float and type(received) is int and abs(received) <= _EXACT_INTEGER:
        received = float(received)
    if type(received) is not kind and {kind, type(received)} not in _ALIKE:
        named = _CONTAINERS.get(kind) or _named(expected)
        return f"{lead}expected {named}, received {_named(received)}"
    if kind in (list, tuple):
        for index, (one, other) in enumerate(zip(expected, received, strict=False)):
            if found := _part(one, other, allowed, f"{path}[{index}]"):
                return found
        if len(expected) == len(received):
            return None
        items = "1 item" if len(expected) == 1 else f"{len(expected)} items"
        return f"{lead}expected {items}, received {len(received)}"
    if kind in (dict, set, frozenset):
        # Keys as text, in which 1, 1.0 and True differ.
        wanted, present = (
            {json.dumps(encode(key)): key for key in side} for side in (expected, received)
        )
        missing = [key for text, key in wanted.items() if text not in present]
        extra = [key for text, key in present.items() if text not in wanted]
        if missing or extra:
            return f"{lead}{_keys(missing, extra, 'the key ' if kind is dict else '')}"
        for text, key in wanted.items() if kind is dict else ():
            where = f"{path}[{written(key, 60)}]"
            if found := _part(expected[key], received[present[text]], allowed, where):
                return found
        return None
    if kind is Array:
        return _array(expected, received, allowed, lead)
    if kind is Opaque:
        return (
            f"{lead}expected {_value(expected)}, received {_value(received)}: it cannot be compared"
        )
    if _near(expected, received, allowed):
        return None
    return f"{lead}expected {written(expected, 60)}, received {written(received, 60)}"


def _keys(missing: list[Any], extra: list[Any], what: str) -> str:
    parts = []
    for verb, values in (("lacks", missing), ("has too much", extra)):
        if values:
            more = f" and {len(values) - 1} more" if len(values) > 1 else ""
            parts.append(f"{verb} {what}{min(map(_named, values))}{more}")
    return "it " + ", ".join(parts)


def _near(expected: Any, received: Any, allowed: _Allowed) -> bool:
    if expected == received:
        return True
    if type(expected) not in (float, complex):
        return False
    if expected != expected:  # nan
        return bool(received != received)
    distance = abs(expected - received)
    if not math.isfinite(distance):
        return False
    return bool(distance <= max(allowed.tolerance * abs(expected), allowed.absolute))


def _array(expected: Array, received: Array, allowed: _Allowed, lead: str) -> str | None:
    import numpy

    for what in ("library", "shape", "dtype"):
        one, other = getattr(expected, what), getattr(received, what)
        if one != other:
            return f"{lead}expected {what} {one}, received {what} {other}"
    if expected.data == received.data:
        return None
    try:
        for index, (one, other) in enumerate(
            zip(expected.numbers(), received.numbers(), strict=True)
        ):
            if not _near(one, other, allowed):
                place = [int(axis) for axis in numpy.unravel_index(index, expected.shape)]
                return f"{lead}at {place}: expected {one}, received {other}"
    except (TypeError, ValueError):  # an unsupported dtype, or forged bytes
        return f"{lead}the numbers differ"
    return None
