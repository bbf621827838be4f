"""The outcome of a call of a student's function, as plain values that contain no student code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hpml.course.sandbox.plain import PlainError, decode


@dataclass(frozen=True)
class Returned:
    """The call returned."""

    # The return value of the worker's `observe` function: Python's numbers, texts and containers
    # of exactly these types, or an `Array` or `Opaque` of `hpml.course.sandbox.plain`
    value: object
    changed: Mapping[str, object]  # the arguments that the call changed: the new value by parameter


@dataclass(frozen=True)
class Raised:
    """The call raised."""

    type: str  # the name of the exception's class: "KeyError"
    bases: tuple[str, ...]  # the names of the classes in its method resolution order
    message: str  # its text, truncated; empty if str() of it raised
    line: str = ""  # number and text of the cell's line that raised; empty if unknown


@dataclass(frozen=True)
class NoAnswer:
    """The call gave no answer."""

    reason: str  # one of "too slow", "too much memory", "too many processes", "ended", "garbled"
    text: str


NOT_TRIED = NoAnswer("not tried", "An earlier case gave no answer.")

Outcome = Returned | Raised | NoAnswer


def symptom(case: object, outcome: Outcome) -> object:
    """Return the part of a wrong outcome that is matched with known wrong answers."""
    if isinstance(outcome, Returned):
        return ["returned", outcome.value, sorted(outcome.changed)]
    if isinstance(outcome, NoAnswer):
        return ["no answer", outcome.reason]
    if outcome.type == "RecursionError":  # like a process that ended because its stack ran out
        return ["no answer", "ended"]
    return ["raised", outcome.type, outcome.message if outcome.type == "KeyError" else ""]


def observed(outcome: Outcome) -> dict[str, Any] | None:
    """Return the dictionary that an observer made of a call, or None if the call did not return."""
    found = outcome.value if isinstance(outcome, Returned) else None
    return found if isinstance(found, dict) else None


def entry(outcome: Outcome, key: str) -> Outcome:
    """Return the outcome with one entry of an observer's dictionary as the returned value."""
    if isinstance(outcome, Returned) and isinstance(outcome.value, dict):
        return replace(outcome, value=outcome.value[key])
    return outcome


def outcome_of(data: object) -> Outcome:
    """Return the outcome in a worker's answer, which is not trusted to be well formed."""
    try:
        return _outcome(data)
    except (PlainError, KeyError, TypeError, ValueError, RecursionError):
        return NoAnswer("garbled", "The answer was not the outcome of a call.")


def _outcome(data: Any) -> Outcome:
    if type(data) is not dict:
        raise TypeError
    if data["outcome"] == "returned":
        changed = {_word(name): decode(value) for name, value in dict(data["changed"]).items()}
        return Returned(decode(data["value"]), changed)
    if data["outcome"] != "raised" or type(data["bases"]) is not list:
        raise ValueError
    bases = tuple(_word(name) for name in data["bases"][:50])
    return Raised(_word(data["type"]), bases, _word(data["message"]), _word(data["line"]))


def _word(value: object) -> str:
    if type(value) is not str:
        raise TypeError
    return value[:1000]
