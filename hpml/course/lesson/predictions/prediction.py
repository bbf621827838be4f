"""`predict`: commit to a number before the measurement, and compare it with the result.

A guess makes the result memorable (Soderstrom and Bjork, "Learning versus performance", 2015,
review the evidence).
"""

from __future__ import annotations

import html
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hpml.base.environment import flag
from hpml.base.errors import describe, is_text
from hpml.base.page import Page, frame, notebook_shell, put, put_control, sentence
from hpml.base.style import ACCENT, MUTED, PASS
from hpml.course.lesson.errors import LabError, PredictionLocked
from hpml.course.lesson.predictions import state, store
from hpml.course.lesson.predictions.controls import Control, enter_locks, make, put_away
from hpml.course.lesson.predictions.quantity import find_unit
from hpml.course.lesson.progress import keep_time
from hpml.course.lesson.reference import keep_revealed, recorded

ASKS = "Predict: "
"""How the text of a question begins, by which a deck finds it among a lab's outputs."""


@dataclass
class Lab:
    """The open lab, with the questions asked in this kernel, by key, in order."""

    name: str
    questions: dict[str, Prediction] = field(default_factory=dict)


class Prediction:
    """A question asked before its measurement, whose answer is locked once; made by `predict`."""

    def __init__(self, lab: str, entry: state.Entry) -> None:
        self._lab = lab
        self._entry = entry
        self._ids: dict[str, str] = {}
        self._shown: dict[str, Page] = {}
        self._control: Control | None = None
        self._cell: object = None
        self._note = ""

    @property
    def entry(self) -> state.Entry:
        """The question with its answer and result, as a plain value."""
        return self._entry

    @property
    def answer(self) -> float | str | None:
        """The locked answer: a number in `unit` or a choice; None while the question is open."""
        return self._entry.answer

    @property
    def measured(self) -> float | str | None:
        """The last revealed result, in `unit`; None before."""
        return self._entry.measured

    @property
    def verdict(self) -> str:
        """The answer and the result in one sentence."""
        return state.verdict(self._entry)

    def lock(self, answer: object) -> None:
        """Lock an answer, as the button does."""
        self._change(state.lock(self._entry, answer))
        keep_time(self._lab, f"answered {self._entry.key}")

    def reveal(self, measured: object, *, unsure: str = "", known: bool = False) -> None:
        """Show the result beside the prediction, with the factor between them.

        Without a prediction the result is shown as not predicted. An answer that is locked later,
        or that the result's interval cannot judge, is shown but does not count: a number counts if
        it is right, too high or too low for both ends, a choice if the result is not "cannot tell".

        Args:
            measured: a number in the question's unit; text with a unit; a Measurement (its median
                counts) or a Ratio; for a choice the text of the right one, or a Ratio (its answer).
            unsure: why this result cannot be scored, if its own spread does not show it.
            known: whether "cannot tell" would be the truth, as for a function against itself.

        Raises:
            AnswerError: if `measured` does not fit the question.

        >>> from hpml.course.lesson.predictions.session import lab_head
        >>> _ = lab_head("try-reveal", "Trying things out")
        >>> guess = predict("How long does one call take?", unit="us", key="call", answer=3)
        Predict: How long does one call take?
        Locked: 3 µs.
        >>> guess.reveal("900 ns")
        You said 3 µs, the result is 0.9 µs: 3.3 times too high.
        >>> guess.forget()
        """
        self._take_unlocked()
        # The output of an earlier run of this cell is gone, so do not update it.
        self._ids.pop("result", None)
        self._change(state.show(self._entry, measured, unsure, known=known))
        if not state.why_not_scored(self._entry) or self._entry.measured == state.CANNOT_TELL:
            keep_revealed(self._entry.key, self._entry.text(self._entry.measured))
        self._put("result", self._result())
        keep_time(self._lab, f"shown {self._entry.key}")

    def not_measured(self, why: str) -> None:
        """Show the recorded result, because this machine cannot measure it; it is not scored.

        Args:
            why: a clause that completes "Not measured here:".

        >>> from hpml.course.lesson.predictions.session import lab_head
        >>> _ = lab_head("try-not-measured", "Trying things out")
        >>> guess = predict("How many loops?", unit="loops", key="loops", answer=3)
        Predict: How many loops?
        Locked: 3 loops.
        >>> guess.not_measured("there is no compiler")
        Not measured here: there is no compiler.
        >>> guess.forget()
        """
        self._take_unlocked()
        text = f"Not measured here: {why}. {recorded(self._lab, self._entry.key)}".rstrip()
        shown = _attribute("shown", key=self._entry.key, result=text)
        headline = f"<p><b>{html.escape(text)}</b></p>"
        self._put("result", Page(text, frame("Result", headline, MUTED, shown)))

    def _take_unlocked(self) -> None:
        """Lock an answer that was typed or chosen but not submitted, before its result is shown."""
        if self._control is not None and self._control.field.value not in (None, ""):
            self._note = "You had not locked it; it counts."
            if self._submitted(self._control.field.value) is not None:
                self._note = ""

    def forget(self) -> None:
        """Forget the locked answer; run the question's cell again to answer again."""
        store.forget(self._lab, self._entry.key)
        self.reopen()

    def reopen(self) -> None:
        """Show the question as open again; the caller deletes the saved answer."""
        self._entry = replace(
            self._entry, answer=None, measured=None, late=False, unsure="", low=None, high=None
        )
        self._note = "The answer was deleted. Run this cell again."
        self._ids.pop("result", None)  # the result stays on the page
        self._refresh()

    def ask(self) -> None:
        """Show the card, and the field if the question is open."""
        shell = notebook_shell()
        self._cell = getattr(shell, "execution_count", None)
        if self._entry.answer is None and shell is not None and not flag("HPML_HEADLESS"):
            self._control = make(self._entry, self._submitted)
        self._put("card", self._card())
        if self._control is not None:
            self._ids["control"] = uuid.uuid4().hex
            put_control(self._control.box, self._ids["control"])
        self._note = ""

    def _change(self, entry: state.Entry) -> None:
        """Set the entry, save it if it is locked, and update the page."""
        if entry != self._entry:
            self._entry = entry
            store.keep(self._lab, entry)
        self._refresh()

    def _refresh(self) -> None:
        if self._entry.answer is not None and self._control is not None:
            # Remove it before closing: a closed control would leave an error on the page.
            put_away(self._ids["control"])
            self._control.box.close()
            self._control = None
        for place, page in (("card", self._card), ("result", self._result)):
            if place in self._ids:
                self._put(place, page())

    def _put(self, place: str, page: Page) -> None:
        again = place in self._ids
        if again and self._shown.get(place) == page:
            return
        self._shown[place] = page
        put(page, self._ids.setdefault(place, uuid.uuid4().hex), again=again)

    def _submitted(self, typed: object) -> str | None:
        """Lock the student's answer; return what is wrong with it, or None."""
        try:
            self.lock(typed)
        except LabError as error:
            return str(error)
        return None

    def _card(self) -> Page:
        entry = self._entry
        lines = [entry.question]
        choices = () if self._control is not None else entry.choices  # the field lists them
        if choices:
            lines += [f"{number}. {text}" for number, text in enumerate(entry.choices, start=1)]
        if entry.answer is not None:
            status = f"Locked: {entry.text(entry.answer)}."
        elif self._control is not None:
            status = ""
        elif flag("HPML_HEADLESS"):
            status = "Open this lab in Jupyter to answer."
        else:
            what = "the number of a choice" if choices else f"a number in {entry.measure.name}"
            status = f"No prediction made yet. Call .lock(...) on it with {what}."
        if self._note:
            status = f"{status} {self._note}".strip()
        options = "".join(f"<li>{html.escape(text)}</li>" for text in choices)
        body = sentence(entry.question) + (f"<ol>{options}</ol>" if options else "")
        body += f"<p><i>{html.escape(status)}</i></p>" if status else ""
        body += enter_locks() if self._control is not None and entry.choices else ""
        lines += [status] if status else []
        return Page(ASKS + "\n".join(lines), frame("Predict", body, ACCENT, self._asked()))

    def _result(self) -> Page:
        entry = self._entry
        text = state.verdict(entry)
        if state.why_not_scored(entry) and entry.measured is not None:
            text = f"{text} {recorded(self._lab, entry.key)}".rstrip()
        headline = f"<p><b>{html.escape(text)}</b></p>"
        if entry.answer is None:
            shown = _attribute("shown", key=entry.key, **state.judging(entry))
            return Page(text, frame("Result", headline, MUTED, shown))
        # Green means right, as in a check.
        colour = PASS if state.right(entry) else MUTED
        return Page(text, frame("Prediction and result", headline, colour))

    def _asked(self) -> str:
        """Return the question as an attribute, by which a page of the book asks it."""
        entry = self._entry
        if entry.answer is not None:
            return ""
        return _attribute(
            "asked",
            key=entry.key,
            question=entry.question,
            unit=entry.unit,
            choices=entry.choices,
            at_least=entry.at_least,
            at_most=entry.at_most,
        )

    def _ipython_display_(self) -> None:
        # `predict(...)` has displayed it; as the last line of its cell it must not appear twice.
        shell = notebook_shell()
        if shell is None or shell.execution_count != self._cell:
            put(self._card(), uuid.uuid4().hex)

    def __repr__(self) -> str:
        return self._card().plain


def predict(
    question: str,
    *,
    unit: str | None = None,
    choices: Sequence[str] | None = None,
    key: str,
    answer: object = None,
    at_least: float = 0.0,
    at_most: float | None = None,
    exact: bool = False,
) -> Prediction:
    """Ask for a prediction before a measurement; every section begins with one.

    The question displays itself, in JupyterLab with an input field where Enter locks the answer.
    It does not block: the notebook also runs without an answer. A locked answer is saved under this
    lab and `key`, so it is still there when the cell runs again.

    Args:
        question: what will be measured, in one or two sentences.
        unit: the unit of the number: a time (``"s"``, ``"ms"``, ``"µs"``, ``"ns"``), a number of
            bytes (``"B"``, ``"kB"``, ``"MB"``, ``"MiB"``, ...), a ratio (``"×"``, ``"%"``), or the
            word for what is counted (``"calls"``).
        choices: instead of `unit`, two to eight texts to choose from.
        key: a short name, unique in the lab.
        answer: an answer to lock at once; a number, text with a unit, or a choice.
        at_least: the smallest sensible number, in `unit`.
        at_most: the largest sensible number, in `unit`.
        exact: whether the number can be worked out; then it is right or wrong, like a choice, and
            never "within a factor of 2".

    Returns:
        The prediction, whose ``reveal`` shows the result beside it.

    Raises:
        LabError: if not exactly one of `unit` and `choices` is given, or `key` is taken.
        AnswerError: if `answer` cannot be read.

    >>> from hpml.course.lesson.predictions.session import lab_head
    >>> _ = lab_head("try-predict", "Trying things out")
    >>> guess = predict("How many bytes has an empty list?", unit="B", key="list", answer=56)
    Predict: How many bytes has an empty list?
    Locked: 56 B.
    >>> guess.reveal(56)
    You said 56 B, the result is 56 B: exactly right.
    >>> guess.forget()
    """
    if not is_text(key):
        raise LabError(
            object="key of a question",
            expected="a short text",
            received=describe(key),
            remedy='Pass key="calls".',
        )
    entry = state.Entry(
        key=key,
        question=question,
        unit=None if unit is None else find_unit(unit).name,
        choices=(choices,) if isinstance(choices, str) else tuple(choices or ()),
        at_least=at_least,
        at_most=at_most,
        exact=exact,
    )
    lab = current_lab()
    known = lab.questions.get(entry.key)
    if known is not None:
        if known.entry.question != question:
            raise LabError(
                object=f"key {describe(entry.key)}",
                expected=f"the question {describe(known.entry.question)}, to which it belongs",
                received=describe(question),
                remedy="Give each question a key of its own. If you reworded the question, "
                "restart the kernel.",
            )
        if (known.entry.unit, known.entry.choices) == (entry.unit, entry.choices):
            # A result that was shown in this kernel still counts as seen when the cell runs again.
            entry = known.entry
    if (kept := store.answers(lab.name).get(entry.key)) is not None:
        entry = state.restore(entry, kept)
    found = Prediction(lab.name, entry)
    if answer is not None:
        try:
            found.lock(answer)
        except PredictionLocked as refusal:
            found._note = str(refusal)
    lab.questions[entry.key] = found
    found.ask()
    keep_time(lab.name, f"asked {entry.key}")
    return found


def _attribute(name: str, **fields: object) -> str:
    return f' data-{name}="{html.escape(json.dumps(fields, ensure_ascii=False))}"'


_open: list[Lab] = []


def open_lab(name: str) -> None:
    """Open a lab; if it is open already, keep its questions."""
    if not _open or _open[0].name != name:
        _open[:] = [Lab(name)]


def current_lab() -> Lab:
    """Return the open lab, or a lab called ``scratch`` if `lab_head` has not run."""
    if not _open:
        open_lab("scratch")
    return _open[0]
