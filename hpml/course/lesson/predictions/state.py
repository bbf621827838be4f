"""A question of a lab as an immutable value, and the transitions between its states.

    open --lock--> locked --show--> compared
    open --show--> shown, not predicted --lock--> compared, but late

Each transition is a pure function from one `Entry` to the next, so that the rules (a locked answer
stays; a late one never counts) are tested without widgets and files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from hpml.base.errors import describe, is_text
from hpml.base.tables import readable
from hpml.benchmark.printed import too_wide
from hpml.course.lesson.errors import AnswerError, LabError, PredictionLocked
from hpml.course.lesson.predictions.quantity import (
    Unit,
    find_unit,
    format_number,
    format_quantity,
    measured_ends,
    measured_value,
    read_number,
)

CANNOT_TELL = "cannot tell"

_AGAIN = "Run its cell again when the machine is quieter."

NEAR = 1.25
"""A prediction within this factor of the result counts as right."""


@dataclass(frozen=True)
class Entry:
    """A question with its answer and its result."""

    key: str
    question: str
    unit: str | None = None  # the unit of the answer; None for a choice
    choices: tuple[str, ...] = ()  # the texts to choose from; empty for a number
    at_least: float = 0.0  # the smallest sensible number, in `unit`
    at_most: float | None = None  # the largest
    exact: bool = False  # the number can be worked out, so it is right or wrong like a choice
    answer: float | str | None = None  # a number in `unit` or the text of a choice; None while open
    measured: float | str | None = None  # the result in the same form; None until it is shown
    late: bool = False  # the answer was locked after the result had been shown
    unsure: str = ""  # why no answer can be scored by the result; see `why_not_scored`
    low: float | None = None  # the ends of the result's interval, in `unit`; None if it is exact
    high: float | None = None

    def __post_init__(self) -> None:
        options = {str(choice).strip().lower() for choice in self.choices}
        choice = self.unit is None and 2 <= len(options) == len(self.choices) <= 8
        number = self.unit is not None and not self.choices
        if not (choice or number) or not all(map(is_text, (self.question, *self.choices))):
            raise LabError(
                object="question",
                expected="a text, with either unit or two to eight different choices",
                received=f"{describe(self.question)} with unit={describe(self.unit)} and "
                f"choices={describe(list(self.choices))}",
                remedy="Pass unit=... to ask for a number, or choices=[...] to let the student "
                "choose.",
            )

    @property
    def measure(self) -> Unit:
        """The `Unit` of a numeric question."""
        if self.unit is None:
            raise LabError(
                object=f"question {describe(self.question)}",
                expected="a number with a unit",
                received="a choice",
                remedy="Compare the text of its choice.",
            )
        return find_unit(self.unit)

    def text(self, value: float | str | None) -> str:
        """Return an answer or a result as text."""
        if value is None:
            return "nothing yet"
        return value if isinstance(value, str) else format_quantity(value, self.measure)

    @property
    def result(self) -> str:
        """The result as text: its interval alone if that is too wide for a single value."""
        if self.low is None or self.high is None or not too_wide(self.low, self.high):
            return self.text(self.measured)
        if not math.isfinite(self.high - self.low):
            return "unknown"
        return f"{format_number(self.low)} to {self.text(self.high)}"


def lock(entry: Entry, answer: object) -> Entry:
    """Return `entry` with the answer locked; the same answer again changes nothing."""
    value = _read(entry, answer)
    if entry.answer is None:
        return replace(entry, answer=value, late=entry.measured is not None)
    if value == entry.answer:
        return entry
    raise PredictionLocked(
        f"You locked {entry.text(entry.answer)} for this question; {entry.text(value)} cannot "
        "replace it.",
        object=f"question {describe(entry.question)}",
        expected=entry.text(entry.answer),
        received=entry.text(value),
        remedy="To answer again, call .forget() on the prediction and run its cell again.",
    )


def show(entry: Entry, measured: object, unsure: str = "", *, known: bool = False) -> Entry:
    """Return `entry` with the measured result beside the answer, if there is one.

    With `known` a choice "cannot tell" is the truth, and not a failure of the measurement.
    """
    if entry.choices:
        chosen = _choice(entry, getattr(measured, "answer", measured))
        if chosen == CANNOT_TELL and not known:
            unsure = unsure or f"this measurement cannot tell. {_AGAIN}"
        return replace(entry, measured=chosen, unsure=unsure, low=None, high=None)
    low, high = measured_ends(measured, entry.measure)
    value = measured_value(measured, entry.measure)
    return replace(entry, measured=value, unsure=unsure, low=low, high=high)


def restore(entry: Entry, kept: dict[str, Any]) -> Entry:
    """Return `entry` with the answer saved by an earlier session, if it still fits the question."""
    answer, measured = kept.get("answer"), kept.get("measured")
    fits = kept.get("unit") == entry.unit and tuple(kept.get("choices", ())) == entry.choices
    if not fits or answer is None:
        return entry
    try:
        found = lock(entry, answer)
        found = found if measured is None else show(found, measured, known=True)
    except LabError:
        return entry
    low, high = kept.get("low"), kept.get("high")
    unsure = str(kept.get("unsure", ""))
    return replace(found, late=bool(kept.get("late")), unsure=unsure, low=low, high=high)


def why_not_scored(entry: Entry) -> str:
    """Return why the answer cannot be scored by the result, as a sentence; empty if it can.

    A number is scored by the whole interval of the result: it is right, too high or too low if it
    is so for both ends.
    """
    if entry.unsure or entry.choices or entry.exact or entry.low is None or entry.high is None:
        return entry.unsure
    if isinstance(entry.answer, float):
        clear = _judged(entry.answer, entry.low) == _judged(entry.answer, entry.high)
    else:
        clear = not too_wide(entry.low, entry.high)
    if clear:
        return ""
    if not math.isfinite(entry.high - entry.low):
        return f"its interval has no ends. {_AGAIN}"
    if too_wide(entry.low, entry.high):
        return f"the ends of this interval judge differently. {_AGAIN}"
    ends = f"{format_number(entry.low)} and {entry.text(entry.high)}"
    return f"the ends of its interval, {ends}, judge differently. {_AGAIN}"


def _judged(answer: float, result: float) -> str:
    """Return whether an answer is right, high or low, if this is the result."""
    if answer == result:
        return "right"
    near = answer > 0 and result > 0 and max(answer / result, result / answer) <= NEAR
    return "right" if near else "high" if answer > result else "low"


def judging(entry: Entry) -> dict[str, object]:
    """Return what judges an answer as this module does, as JSON can hold it.

    `ends` are those of a number's interval, or the number twice; `wide` says whether the result is
    known by them only; `unsure` says why no answer can be scored.
    """
    measured, low, high = entry.measured, entry.low, entry.high
    fields: dict[str, object] = {"right": measured, "result": entry.result, "exact": entry.exact}
    if not isinstance(measured, float):
        return fields | {"unsure": entry.unsure}
    if low is None or high is None:
        return fields | {"unsure": entry.unsure, "ends": [measured, measured], "wide": False}
    if not math.isfinite(high - low):
        return fields | {"unsure": why_not_scored(entry), "ends": None, "wide": True}
    return fields | {"unsure": entry.unsure, "ends": [low, high], "wide": too_wide(low, high)}


def _nearest(entry: Entry) -> float | None:
    """Return the result, or the end of a wide interval that is nearest to the answer."""
    answer, measured, low, high = entry.answer, entry.measured, entry.low, entry.high
    if not isinstance(answer, float) or not isinstance(measured, float):
        return None
    if low is None or high is None or not too_wide(low, high):
        return measured
    return min(max(answer, low), high)


def factor(entry: Entry) -> float | None:
    """Return the factor, at least 1, between answer and result; None if there is no such factor.

    If the result is only known to be in a wide interval, it is the smallest factor that this
    allows.
    """
    answer, measured = entry.answer, _nearest(entry)
    if not isinstance(answer, float) or measured is None:
        return None
    if answer <= 0 or measured <= 0 or entry.exact or why_not_scored(entry):
        return None
    return max(answer / measured, measured / answer)


def right(entry: Entry) -> bool | None:
    """Return whether an answer was right; None if it cannot be scored."""
    if entry.answer is None or entry.measured is None or why_not_scored(entry):
        return None
    if entry.choices or entry.exact:
        return entry.answer == entry.measured
    return entry.answer == entry.measured or (factor(entry) or math.inf) <= NEAR


def verdict(entry: Entry) -> str:
    """Return the answer and the result in one sentence."""
    result = "The answer" if entry.choices else "The result"
    if entry.answer is None:
        if entry.measured is None:
            return "No prediction made yet."
        return f"No prediction made. {result}: {entry.result}."
    answer = entry.text(entry.answer)
    if entry.measured is None:
        return f"Locked: {answer}."
    unclear = why_not_scored(entry)
    late = " Locked after the result had been shown, so it does not count." if entry.late else ""
    after = f" Not scored: {unclear}" if unclear else late
    if entry.choices:
        score = "" if unclear else f" So: {distance(entry)}."
        return f"You said: {answer}. {result}: {entry.result}.{score}{after}"
    score = "" if unclear else f": {distance(entry)}"
    return f"You said {answer}, the result is {entry.result}{score}.{after}"


def distance(entry: Entry) -> str:
    """Return the difference of answer and result in words."""
    answer, measured = entry.answer, _nearest(entry)
    if why_not_scored(entry):
        return "not scored"
    if entry.choices or entry.exact:
        return "right" if answer == entry.measured else "not this time"
    if not isinstance(answer, float) or measured is None:
        return ""
    if answer == measured or entry.text(answer) == entry.result:
        return "exactly right"
    side = "high" if answer > measured else "low"
    times = factor(entry)
    if times is None:
        return f"{format_quantity(abs(answer - measured), entry.measure)} too {side}"
    if times <= NEAR:
        return f"right to within {5 * math.ceil(20 * (times - 1)):.0f} percent"
    least = "at least " if measured != entry.measured else ""
    return f"{least}{_times(times)} times too {side}"


def _times(factor: float) -> str:
    return f"{factor:.1f}" if factor < 10 else readable(factor)


def _read(entry: Entry, answer: object) -> float | str:
    if entry.choices:
        return _choice(entry, answer)
    return read_number(answer, entry.measure, at_least=entry.at_least, at_most=entry.at_most)


def _choice(entry: Entry, answer: object) -> str:
    """Return the choice with this text, in any case, or this number, from 1."""
    by_text = {choice.strip().lower(): choice for choice in entry.choices}
    by_number = {str(number): choice for number, choice in enumerate(entry.choices, start=1)}
    word = str(answer).strip().lower() if isinstance(answer, str | int) else ""
    found = by_text.get(word) or by_number.get(word)
    if found is None or isinstance(answer, bool):
        options = "; ".join(f"{number}: {choice}" for number, choice in by_number.items())
        raise AnswerError(
            object="answer",
            expected=f"one of {options}",
            received=describe(answer),
            remedy="Write the text or the number of a choice.",
        )
    return found
