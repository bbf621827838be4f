"""The explanation at a lab's end: hypotheses, and the experiment that tells them apart."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpml.base.errors import describe
from hpml.base.page import Page, frame, sentence
from hpml.base.style import ACCENT, FAIL, PASS
from hpml.base.tables import Table


@dataclass(frozen=True)
class Explanation:
    """An observation, hypotheses about it, and experiments of which one tells them apart."""

    question: str
    claims: tuple[str, ...]  # the hypotheses, called A, B, C in this order; two to six
    experiments: Mapping[str, str]  # for each experiment, what it would show under these hypotheses
    best: str  # the experiment that tells them apart

    @property
    def best_number(self) -> int:
        """The number, from 1, of the experiment that tells the hypotheses apart."""
        return list(self.experiments).index(self.best) + 1

    def page(self, choice: object = None, later: object = None) -> Page:
        """Return the question, and after a choice what each experiment would show."""
        numbers = range(1, len(self.experiments) + 1)
        if choice is None:
            status = (
                "Write its number into `explanation` in this cell, in place of `None`, and run the "
                "cell again. The reasons are shown then; the first choice counts."
            )
        elif type(choice) is not int or choice not in numbers:
            status = f"`explanation` is {describe(choice)}, expected {_one_of(numbers)}."
        else:
            return self._answered(choice, later)
        lines = [*self._lines(), *_folded([status.replace("`", "")])]
        return self._framed(lines, f"<p><b>{_code(status)}</b></p>")

    def _answered(self, choice: int, later: object) -> Page:
        everything = list(enumerate(self.experiments.items(), start=1))
        so = "Yes, it tells" if choice == self.best_number else "It does not tell"
        first = "" if later in (None, choice) else " first, which counts"
        verdict = f"You chose {choice}{first}. {so} them apart."
        reasons = [f"{number}. {reason}" for number, (_, reason) in everything]
        lines = [*self._lines(), verdict, "What it would show:", *_folded(reasons)]
        rows = [[f"{number}. {text}", reason] for number, (text, reason) in everything]
        table = Table(["experiment", "what it would show"], rows, align=["left", "left"])
        # The table's cells are escaped; text between backticks is code there, too.
        shown = re.sub(r"`([^`]+)`", r"<code>\1</code>", table._repr_html_())
        colour = PASS if choice == self.best_number else FAIL
        return self._framed(lines, f"<p><b>{html.escape(verdict)}</b></p>{shown}", colour)

    def _lines(self) -> list[str]:
        claims = [f"{letter}. {claim}" for letter, claim in self._lettered()]
        numbers = [f"{number}. {text}" for number, text in enumerate(self.experiments, start=1)]
        return [
            f"Explain: {self.question}",
            *_folded(claims),
            "Which experiment tells them apart?",
            *_folded(numbers),
        ]

    def _framed(self, lines: Sequence[str], after: str, colour: str = ACCENT) -> Page:
        # Not <ol type="A">: some pages number it 1, 2, 3, and the reasons speak of A, B, C.
        claims = "".join(sentence(f"**{letter}** · {claim}") for letter, claim in self._lettered())
        experiments = "".join(f"<li>{_code(text)}</li>" for text in self.experiments)
        body = (
            f"{sentence(self.question)}{claims}<p>Which experiment tells them apart?</p>"
            f"<ol>{experiments}</ol>{after}"
        )
        return Page("\n".join(lines), frame("Explain", body, colour))

    def _lettered(self) -> list[tuple[str, str]]:
        return list(zip("ABCDEF", self.claims, strict=False))


def _one_of(numbers: range) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}"


def _code(text: str) -> str:
    """Return a sentence's HTML without the paragraph around it."""
    return sentence(text).removeprefix("<p>").removesuffix("</p>")


def _folded(lines: Sequence[str]) -> list[str]:
    return [textwrap.fill(line, 88, subsequent_indent="   ") for line in lines]
