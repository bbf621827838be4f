"""The explanation at a lab's end: three hypotheses, and the experiment that tells them apart.

A number that was measured has more than one possible cause. The skill is not to guess the right one
but to know which further measurement would show it.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Mapping, Sequence

from hpml.base.errors import describe
from hpml.base.page import Page, frame, sentence
from hpml.base.style import PALETTE
from hpml.base.tables import Table
from hpml.labs import state
from hpml.labs.errors import LabError
from hpml.labs.question import Question, ask
from hpml.labs.session import Lab

__all__ = ["Hypotheses", "hypotheses"]


class Hypotheses(Question):
    """A choice of experiment, with the reasons; made by `hypotheses`."""

    def __init__(
        self,
        lab: Lab,
        entry: state.Entry,
        claims: Sequence[str],
        reasons: Mapping[str, str],
        best: str,
    ) -> None:
        super().__init__(lab, entry)
        self.claims = tuple(claims)
        self.reasons = dict(reasons)
        self.best = best

    @property
    def verdict(self) -> str:
        """One sentence on the choice, and the reason."""
        chosen = self.answer
        if chosen is None:
            return "No experiment chosen yet."
        answers = "Yes, it tells them apart." if chosen == self.best else "It does not."
        text = str(chosen)
        return f"You chose: {text.rstrip('.')}. {answers} {self.reasons.get(text, '')}"

    def choose(self, experiment: object) -> None:
        """Choose an experiment by its text or its number from 1, as the button does.

        Raises:
            AnswerError: if there is no such experiment.
            PredictionLocked: if another one was chosen before.
        """
        self.lock(experiment)

    def _card(self) -> Page:
        letters = [
            f"{letter}. {claim}" for letter, claim in zip("ABCDEF", self.claims, strict=False)
        ]
        numbers = [f"{number}. {text}" for number, text in enumerate(self._entry.choices, start=1)]
        reasons = [f"{number}. {self.reasons[text]}" for number, text in enumerate(self.reasons, 1)]
        best = f"The experiment that tells them apart: {self.best.rstrip('.')}."
        lines = [
            f"Explain: {self.question}",
            *_folded(letters),
            "Which experiment tells them apart?",
            *_folded([*numbers, self.verdict]),
            "The reasons:",
            *_folded([*reasons, best]),
        ]
        return Page("\n".join(lines), frame("Explain", self._html(best), PALETTE["handwritten"]))

    def _html(self, best: str) -> str:
        # Not <ol type="A">: some pages number it 1, 2, 3, and the reasons speak of A, B, C.
        lettered = zip("ABCDEF", self.claims, strict=False)
        claims = "".join(sentence(f"**{letter}** · {claim}") for letter, claim in lettered)
        experiments = "".join(f"<li>{html.escape(text)}</li>" for text in self._entry.choices)
        rows = [[text, self.reasons[text]] for text in self.reasons]
        table = Table(["experiment", "what it would show"], rows)
        opened = " open" if self.answer is not None else ""
        return (
            f"{sentence(self.question)}{claims}"
            "<p>Which experiment tells them apart?</p>"
            f"<ol>{experiments}</ol><p><b>{html.escape(self.verdict)}</b></p>"
            f"<details{opened}><summary>The reasons (choose first)</summary>"
            f"{table._repr_html_()}{sentence(best)}</details>"
        )


def hypotheses(
    question: str,
    *,
    claims: Sequence[str],
    experiments: Mapping[str, str],
    best: str,
    key: str = "explanation",
) -> Hypotheses:
    """Ask which experiment tells three explanations of a result apart; a lab ends with one.

    It shows itself. After the choice it gives the reason for every experiment; without a front-end
    the reasons stand folded below the question.

    Args:
        question: the observation to be explained.
        claims: the hypotheses, two to six texts, usually three.
        experiments: for each experiment, what it would show under these hypotheses.
        best: the experiment, one of `experiments`, that tells the hypotheses apart.
        key: a short name, different for each question of a lab.

    Raises:
        LabError: if the claims or experiments are too few or `best` is not one of them.

    >>> from hpml.labs import lab_head
    >>> _ = lab_head("try-hypotheses", "Trying things out")
    >>> item = hypotheses(
    ...     "B is faster than A.",
    ...     claims=["B does less work.", "The machine was warm when B ran."],
    ...     experiments={"Swap the order": "Only the second claim predicts a change.",
    ...                  "Run B again": "Both predict the same."},
    ...     best="Swap the order", key="explain")  # doctest: +ELLIPSIS
    Explain: B is faster than A...
    >>> item.verdict
    'No experiment chosen yet.'
    """
    if isinstance(claims, str) or not 2 <= len(claims) <= 6:
        raise LabError(f"claims expects two to six texts, got {describe(claims)}.")
    if not isinstance(experiments, Mapping):
        raise LabError(
            f"experiments expects a dictionary from each experiment to what it would show, got "
            f"{describe(experiments)}."
        )
    if best not in experiments:
        raise LabError(
            f"best is {describe(best)}, expected one of the experiments: "
            f"{'; '.join(experiments) or 'there are none'}."
        )
    entry = state.Entry(key=key, question=question, choices=tuple(experiments), counts=False)
    return ask(lambda lab, found: Hypotheses(lab, found, claims, experiments, best), entry, None)


def _folded(lines: Sequence[str]) -> list[str]:
    return [textwrap.fill(line, 88, subsequent_indent="   ") for line in lines]
