"""`predict`: a number is written down before it is measured, and stands beside the result after.

Guessing first is what makes a measurement teach: a surprise is remembered, and the calibration at
the lab's end shows whether one's feeling for these numbers grows (Soderstrom and Bjork, "Learning
versus performance", 2015, review the evidence).
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from hpml.base.errors import describe, is_text
from hpml.base.page import Page, frame, sentence
from hpml.base.style import ACCENT, MUTED, PASS
from hpml.base.tables import Table
from hpml.course.errors import LabError
from hpml.course.predictions import state
from hpml.course.predictions.quantity import find_unit, format_quantity
from hpml.course.predictions.question import Question, ask


class Prediction(Question):
    """A question asked before its measurement; made by `predict`."""

    @property
    def measured(self) -> float | str | None:
        """The result last revealed, in `unit`; None before."""
        return self._entry.measured

    @property
    def factor(self) -> float | None:
        """How many times answer and result differ, at least 1; None without both."""
        return state.factor(self._entry)

    @property
    def verdict(self) -> str:
        """One sentence that says where the question stands."""
        return state.verdict(self._entry)

    def reveal(self, measured: object, *, unsure: str = "") -> None:
        """Show the result beside the prediction, with the factor between them.

        Without a prediction the result is shown all the same, as not predicted; one locked later is
        shown beside it and does not count. Neither does one whose result was not measured cleanly.

        Args:
            measured: a number in the unit asked for; text with a unit; a Measurement (its median
                counts) or a Ratio; for a choice the text of the right one, or a Ratio (its answer).
            unsure: why this result is none to score by, where its own spread does not say so.

        Raises:
            AnswerError: if it is of another kind than the question asks for.

        >>> from hpml.course.predictions.session import lab_head
        >>> _ = lab_head("try-reveal", "Trying things out")
        >>> guess = predict("How long does one call take?", unit="us", key="call", answer=3)
        Predict: How long does one call take?
        Locked: 3 µs.
        >>> guess.reveal("900 ns")
        You said 3 µs, measured 0.9 µs: 3.3 times too high.
        >>> guess.forget()
        """
        # Forget where an earlier run of this cell showed it: that output is gone.
        self._ids.pop("result", None)
        self._change(state.show(self._entry, measured, unsure))
        self._put("result", self._result())

    def _refresh(self) -> None:
        super()._refresh()
        if "result" in self._ids:
            self._put("result", self._result())

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
        elif entry.choices:
            status = "No prediction made yet. Choose one, or call .lock(1) on it."
        else:
            asked = f"a number in {entry.measure.name}"
            status = f"No prediction made yet. Type {asked}, or call .lock(3) on it."
        if self._note:
            status = f"{status} {self._note}".strip()
        options = "".join(f"<li>{html.escape(text)}</li>" for text in choices)
        body = sentence(entry.question) + (f"<ol>{options}</ol>" if options else "")
        body += f"<p><i>{html.escape(status)}</i></p>" if status else ""
        lines += [status] if status else []
        return Page("Predict: " + "\n".join(lines), frame("Predict", body, ACCENT))

    def _result(self) -> Page:
        entry = self._entry
        text = state.verdict(entry)
        headline = f"<p><b>{html.escape(text)}</b></p>"
        if entry.answer is None:
            # Nothing stands beside the result, and the line has said it.
            return Page(text, frame("Measured", headline, MUTED))
        columns = ["you said", "the answer" if entry.choices else "measured"]
        row: list[object] = [entry.text(entry.answer), entry.text(entry.measured)]
        times = state.factor(entry)
        if times is not None:
            columns.append("factor between them")
            row.append(format_quantity(float(f"{times:.2g}"), find_unit("×")))
        table = Table(columns, [row], align=["right"] * len(columns))
        body = headline + table._repr_html_()
        # Green says right, here as in a check.
        colour = PASS if state.right(entry) else MUTED
        return Page(text, frame("Predicted and measured", body, colour))


def predict(
    question: str,
    *,
    unit: str | None = None,
    choices: Sequence[str] | None = None,
    key: str | None = None,
    answer: object = None,
    at_least: float = 0.0,
    at_most: float | None = None,
    exact: bool = False,
) -> Prediction:
    """Ask for a prediction, before the measurement it is about; every section begins with one.

    The question shows itself, in JupyterLab with a field whose Enter locks the answer. Nothing
    waits: a notebook runs through whether or not anybody answers. A locked answer is kept on disk
    for this lab and `key`, so running the cell again, or tomorrow, finds it.

    Args:
        question: what will be measured, in one or two sentences.
        unit: the unit of the number asked for: a time (``"s"``, ``"ms"``, ``"µs"``, ``"ns"``), a
            number of bytes (``"B"``, ``"kB"``, ``"MB"``, ``"MiB"``, ...), a ratio (``"×"``,
            ``"%"``), or the word for what is counted (``"calls"``).
        choices: instead of `unit`, two to eight texts to choose from.
        key: a short name, different for each question of a lab; made from the question if None.
        answer: locks this answer at once, as code may; a number, text with a unit, or a choice.
        at_least: the smallest sensible number, in `unit`.
        at_most: the largest sensible number, in `unit`.
        exact: whether the number can be found by thinking; then it is right or wrong, like a
            choice, and never "within a factor of 2".

    Returns:
        The prediction, whose ``reveal`` shows the result beside it.

    Raises:
        LabError: if not exactly one of `unit` and `choices` is given, or `key` is taken.
        AnswerError: if `answer` cannot be read.

    >>> from hpml.course.predictions.session import lab_head
    >>> _ = lab_head("try-predict", "Trying things out")
    >>> guess = predict("How many bytes has an empty list?", unit="B", key="list", answer=56)
    Predict: How many bytes has an empty list?
    Locked: 56 B.
    >>> guess.reveal(56)
    You said 56 B, measured 56 B: exactly right.
    >>> guess.forget()
    """
    if key is not None and not is_text(key):
        raise LabError(f"A question's key is a short text, got {describe(key)}.")
    if isinstance(choices, str):
        raise LabError(f"choices expects a list of texts, got one text: {describe(choices)}.")
    entry = state.Entry(
        key=key or state.key_from(str(question)),
        question=question,
        unit=None if unit is None else find_unit(unit).name,
        choices=tuple(choices or ()),
        at_least=at_least,
        at_most=at_most,
        exact=exact,
    )
    return ask(Prediction, entry, answer)
