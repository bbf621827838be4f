"""The explanation at a lab's end: choose the experiment that distinguishes the hypotheses."""

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
    """An observation, hypotheses about it, and experiments; one distinguishes the hypotheses."""

    question: str
    claims: tuple[str, ...]  # two to six hypotheses, labelled A, B, C in this order
    experiments: Mapping[str, str]  # by experiment, what it would show under these hypotheses
    best: str  # the experiment that distinguishes them

    @property
    def best_number(self) -> int:
        """The number, from 1, of the best experiment."""
        return list(self.experiments).index(self.best) + 1

    def page(self, choice: object = None, later: object = None) -> Page:
        """Return the question and, after a choice, what each experiment would show."""
        numbers = range(1, len(self.experiments) + 1)
        if choice is None:
            status = (
                "Write its number into `explanation` in this cell, in place of `None`, and run the "
                "cell again. The reasons are shown then. The first choice counts, also in grading: "
                "a later change earns nothing."
            )
        elif type(choice) is not int or choice not in numbers:
            expected = " or ".join(map(str, numbers))
            status = f"`explanation` is {describe(choice)}, expected {expected}."
        else:
            return self._answered(choice, later)
        lines = [*self._lines(), *_folded([status.replace("`", "")])]
        return self._framed(lines, f"<p><b>{_code(status)}</b></p>")

    def _answered(self, choice: int, later: object) -> Page:
        everything = list(enumerate(self.experiments.items(), start=1))
        answer = "Yes, it tells" if choice == self.best_number else "It does not tell"
        first = "" if later in (None, choice) else " first, which counts"
        verdict = f"You chose {choice}{first}. {answer} them apart."
        reasons = [f"{number}. {reason}" for number, (_, reason) in everything]
        lines = [*self._lines(), verdict, "What it would show:", *_folded(reasons)]
        rows = [[f"{number}. {text}", reason] for number, (text, reason) in everything]
        table = Table(["experiment", "what it would show"], rows, align=["left", "left"])
        # The table escapes its cells, so code in backticks is marked up afterwards.
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
        # Not <ol type="A">: some front-ends show 1, 2, 3, but the reasons name A, B, C.
        claims = "".join(sentence(f"**{letter}** · {claim}") for letter, claim in self._lettered())
        experiments = "".join(f"<li>{_code(text)}</li>" for text in self.experiments)
        body = (
            f"{sentence(self.question)}{claims}<p>Which experiment tells them apart?</p>"
            f"<ol>{experiments}</ol>{after}"
        )
        return Page("\n".join(lines), frame("Explain", body, colour))

    def _lettered(self) -> list[tuple[str, str]]:
        return list(zip("ABCDEF", self.claims, strict=False))


def _code(text: str) -> str:
    """Return a sentence's HTML without the paragraph around it."""
    return sentence(text).removeprefix("<p>").removesuffix("</p>")


def _folded(lines: Sequence[str]) -> list[str]:
    return [textwrap.fill(line, 88, subsequent_indent="   ") for line in lines]
