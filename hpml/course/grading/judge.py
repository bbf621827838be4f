"""Step 3: turn answers into an `Item`, the points of one exercise with the reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hpml.base.errors import describe
from hpml.course.grading.run import Answers
from hpml.course.lesson.exercises.exercise import Choice, Exercise
from hpml.course.lesson.exercises.judging import Verdict, diagnosed, judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome, Raised
from hpml.course.lesson.exercises.wrong_answers import Run
from hpml.course.sandbox.plain import decode

_TEXT = 2000  # most characters of the message for the student


@dataclass(frozen=True)
class Item:
    """One exercise of one submission."""

    lab: str
    number: int
    name: str  # the function, or "explanation"
    of: Mapping[str, float]  # the most points of each part
    core: bool = True  # otherwise its points are a bonus
    status: str = "not graded"
    text: str = ""  # the message for the student
    parts: Mapping[str, float] = field(default_factory=dict)  # the points of each part
    note: str = ""  # for the instructor
    mistake: str = ""  # the name of the known wrong answer, if any
    printed: str = ""  # the output of the submission, shortened

    @property
    def score(self) -> float:
        """The points earned."""
        return round(sum(self.parts.values()), 6)

    @property
    def most(self) -> float:
        """The most points."""
        return round(sum(self.of.values()), 6)

    @property
    def out_of(self) -> str:
        """The points as text: ``"2 of 3"``, or ``"2 of 3 bonus"``."""
        return f"{points(self.score)} of {points(self.most)}{'' if self.core else ' bonus'}"

    @property
    def by_part(self) -> list[str]:
        """The points of each part, if there are several: ``"deep 0 of 1"``."""
        if len(self.of) < 2:
            return []
        return [
            f"{part} {points(self.parts.get(part, 0.0))} of {points(most)}"
            for part, most in self.of.items()
        ]

    @property
    def place(self) -> str:
        """The number of the exercise: ``"06.1"``."""
        return f"{self.lab}.{self.number}"

    @property
    def title(self) -> str:
        """Number and name: ``"06.1 lazy_forward"``."""
        return f"{self.place} {self.name}"

    @property
    def right(self) -> bool:
        """Whether it earned all points."""
        return self.status == "right"

    def without_points(self, status: str, text: str) -> Item:
        """Return a copy with 0 points and a reason."""
        return replace(self, parts={}, status=status, text=text)

    def with_note(self, note: str) -> Item:
        """Return a copy with another sentence for the instructor."""
        return replace(self, note=f"{self.note} {note}".strip())

    def with_text(self, line: str) -> Item:
        """Return a copy with another line for the student."""
        return replace(self, text=f"{self.text}\n{line}".strip())


def blank(entry: Exercise | Choice) -> Item:
    """Return the item of an exercise or explanation that is not graded yet."""
    if isinstance(entry, Choice):
        return Item(entry.lab, entry.number, entry.name, {"right": entry.points})
    return Item(entry.lab, entry.number, entry.name, entry.worth, entry.core)


def judged(exercise: Exercise, found: Answers, run: Run) -> Item:
    """Judge one definition of a function, without points for time.

    `run` runs known wrong answers for the diagnosis.
    """
    item = blank(exercise)
    if found.stub or found.uses:
        verdict = judge(exercise, found.cases, [], stub=found.stub, forbidden=found.uses)
        item = _with_verdict(item, verdict, "not done" if verdict.not_done else "forbidden")
        # The solution may be in a cell that cannot be read.
        return replace(item, text=item.text + found.broken) if verdict.not_done else item
    verdict = judge(exercise, found.cases, found.outcomes)
    verdict = diagnosed(verdict, exercise, found.cases, found.outcomes, run)
    lost = any(isinstance(outcome, NoAnswer) for outcome in found.outcomes)
    item = _with_verdict(item, verdict, "no answer" if lost else "wrong")
    if verdict.right:
        return item
    if found.failed:
        item = item.with_note("A cell that it needs failed.")
    elif name := _undefined(found.outcomes):
        item = item.with_note(
            f"It uses {name}, which no cell that grading runs defines: it may come from a deleted "
            "cell or from %run."
        )
    text = f"{item.text}{found.failed}\n{found.broken.strip()}".rstrip()
    return replace(item.with_note(found.broken.strip()), text=text)


def _undefined(outcomes: Sequence[Outcome]) -> str:
    """Return a name that a call did not find, or an empty text."""
    for outcome in outcomes:
        if isinstance(outcome, Raised) and outcome.type == "NameError":
            found = re.match(r"name '(\w{1,60})' is not defined", outcome.message)
            if found:
                return found[1]
    return ""


def with_output(item: Item, found: Answers) -> Item:
    """Add the output of the submission, and escape control characters in all texts."""
    text = harmless(item.text[:_TEXT] + " ..." * (len(item.text) > _TEXT))
    return replace(item, text=text, printed=harmless(found.printed.text))


def judged_choice(choice: Choice, made: list[object], shown: int | None = None) -> Item:
    """Judge the explanation; `shown` is the first choice that the notebook's output names."""
    item = blank(choice)
    numbers = range(1, choice.experiments + 1)
    values = [value for value in map(decode, made) if value is not None]
    if not values:
        return item.without_points("not done", f"`{choice.name}` is still None.")
    # As in the notebook the first valid choice counts.
    value = next((each for each in values if type(each) is int and each in numbers), values[-1])
    if type(value) is not int or value not in numbers:
        wanted = f"a number from 1 to {choice.experiments}"
        text = harmless(f"`{choice.name}`: expected {wanted}, received {describe(value)}.")
        return item.without_points("wrong", text)
    first = shown if shown in numbers and shown != value else None
    value = value if first is None else first
    why = "" if first is None else f" You chose {first} first, which counts."
    if value != choice.best:
        text = f"Experiment {value} does not tell the hypotheses apart.{why}"
        return item.without_points("wrong", text)
    return replace(item, parts={"right": float(choice.points)}, status="right")


def _with_verdict(item: Item, verdict: Verdict, otherwise: str) -> Item:
    item = replace(item, parts=dict(verdict.parts), note=verdict.note)
    some = "partly right" if item.score > 0 else otherwise
    return replace(
        item,
        status="right" if verdict.right else some,
        text="" if verdict.right else verdict.text,
        mistake="" if verdict.diagnosis is None else verdict.diagnosis.key,
    )


def points(value: float) -> str:
    """Format points without trailing zeros."""
    return f"{round(value, 2):g}"


def harmless(text: str) -> str:
    """Escape control characters in text of a submission."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode()
        for each in text.replace("\r\n", "\n")
    )
