"""A question on the page: its card, its field, and the answer once it is locked.

The card is static text and HTML, replaced in place when the state changes; the field below it is an
``ipywidgets`` control that exists only while there is something to answer. So the page reads the
same without a kernel, and nothing ever waits for an answer.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from hpml.base.environment import flag
from hpml.base.errors import describe
from hpml.base.page import Page, notebook_shell, put, put_away, put_control
from hpml.course.errors import LabError, PredictionLocked
from hpml.course.predictions import state
from hpml.course.predictions.session import Lab, current_lab

Asked = TypeVar("Asked", bound="Question")


class Question(ABC):
    """What a prediction does on its page: one entry, locked once, shown in place."""

    def __init__(self, lab: Lab, entry: state.Entry) -> None:
        self._lab = lab
        self._entry = entry
        self._ids: dict[str, str] = {}
        self._shown: dict[str, Page] = {}
        self._control: Any = None
        self._cell: object = None
        self._note = ""

    @property
    def entry(self) -> state.Entry:
        """The question as it stands, as a plain value."""
        return self._entry

    @property
    def key(self) -> str:
        """The question's name within its lab."""
        return self._entry.key

    @property
    def question(self) -> str:
        """The text the student reads."""
        return self._entry.question

    @property
    def unit(self) -> str | None:
        """The unit of the answer; None for a choice."""
        return None if self._entry.unit is None else self._entry.measure.name

    @property
    def answer(self) -> float | str | None:
        """The locked answer: a number of `unit` or a choice; None while the question is open."""
        return self._entry.answer

    def lock(self, answer: object) -> None:
        """Lock an answer from code, as the button does."""
        self._change(state.lock(self._entry, answer))

    def forget(self) -> None:
        """Forget the locked answer; run the question's cell again to answer anew."""
        self._lab.store.forget(self._lab.name, self.key)
        self.reopen()

    def offer(self, answer: object) -> None:
        """Lock `answer` if the question is open; else the card says what is locked."""
        try:
            self.lock(answer)
        except PredictionLocked as refusal:
            self._note = str(refusal)

    def carry(self, entry: state.Entry) -> state.Entry:
        """Return `entry`, asked again, with what this kernel knows of it already."""
        mine = self._entry
        if (mine.unit, mine.choices) != (entry.unit, entry.choices):
            return entry
        return replace(
            entry,
            answer=mine.answer,
            measured=mine.measured,
            late=mine.late,
            unsure=mine.unsure,
        )

    def reopen(self) -> None:
        """Show the question as open again; what is kept on disk is the caller's business."""
        self._entry = replace(self._entry, answer=None, measured=None, late=False, unsure="")
        self._note = "What was answered is forgotten: run this cell again."
        self._ids.pop("result", None)  # what was measured stays on the page
        self._refresh()

    def ask(self) -> None:
        """Show the card, and the field if there is still something to answer."""
        shell = notebook_shell()
        self._cell = getattr(shell, "execution_count", None)
        self._ids = {}
        if self._entry.answer is None and shell is not None and not flag("HPML_HEADLESS"):
            self._make_control()
        self._put("card", self._card())
        if self._control is not None:
            self._ids["control"] = uuid.uuid4().hex
            put_control(self._control, self._ids["control"])
        self._note = ""

    def _change(self, entry: state.Entry) -> None:
        """Take over `entry`, keep it if it is locked, and bring the page up to date."""
        if entry != self._entry:
            self._entry = entry
            self._lab.store.keep(self._lab.name, entry)
        self._refresh()

    def _refresh(self) -> None:
        if self._entry.answer is not None and self._control is not None:
            # Replaced before it is closed: a closed control would leave an error in its place.
            put_away(self._ids["control"])
            self._control.close()
            self._control = None
        if "card" in self._ids:
            self._put("card", self._card())

    def _put(self, place: str, page: Page) -> None:
        again = place in self._ids
        if again and self._shown.get(place) == page:
            return
        self._shown[place] = page
        put(page, self._ids.setdefault(place, uuid.uuid4().hex), again=again)

    def _make_control(self) -> None:
        from hpml.course.predictions import controls

        if self._control is not None:
            self._control.close()
        self._control = controls.make(self._entry, self._submitted)

    def _submitted(self, typed: object) -> str | None:
        """Take what the student typed; return what is wrong with it, or None if it is locked."""
        try:
            self.lock(typed)
        except LabError as error:
            return str(error)
        return None

    @abstractmethod
    def _card(self) -> Page:
        """Return the question as it stands now."""

    def _ipython_display_(self) -> None:
        # `predict(...)` shows itself; as the last line of that same cell it must not do so twice.
        shell = notebook_shell()
        if shell is None or shell.execution_count != self._cell:
            put(self._card(), uuid.uuid4().hex)

    def __repr__(self) -> str:
        return self._card().plain


def ask(make: Callable[[Lab, state.Entry], Asked], entry: state.Entry, answer: object) -> Asked:
    """Return the open lab's question for `entry`, restored if it was locked before, and show it."""
    lab = current_lab()
    known = lab.questions.get(entry.key)
    if known is not None and known.question != entry.question:
        raise LabError(
            f"The key {describe(entry.key)} belongs to the question {describe(known.question)}; "
            f"give {describe(entry.question)} a key of its own. If you reworded the question, "
            "restart the kernel."
        )
    # What was shown in this kernel stays shown: running the cell again does not make it unseen.
    found = entry if known is None else known.carry(entry)
    kept = lab.store.answers(lab.name).get(entry.key)
    question = make(lab, found if kept is None else state.restore(entry, kept))
    if answer is not None:
        question.offer(answer)
    lab.questions[entry.key] = question
    question.ask()
    return question
