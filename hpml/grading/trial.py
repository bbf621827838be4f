"""One exercise of one submission: a worker is started, asked, and ended with all that it started.

Here the cases are made and the outcomes judged, so this runs in the warden and never in the worker.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Choice, Exercise
from hpml.course.exercises.judging import Verdict, diagnosed, judge
from hpml.course.exercises.outcomes import NoAnswer, Outcome, Raised, outcome_of
from hpml.grading.conversation import Conversation, Printed
from hpml.grading.isolation import (
    Limits,
    Process,
    below,
    end_all,
    reap_all,
    remove_folder,
)
from hpml.grading.report import Item, harmless
from hpml.sandbox.harness import harness_source
from hpml.sandbox.plain import decode, encode

_TEXT = 2000


def blank(exercise: Exercise) -> Item:
    """Return the exercise as it stands in a report before it was graded."""
    return Item(exercise.lab, exercise.number, exercise.name, exercise.points)


def blank_choice(choice: Choice) -> Item:
    """Return the explanation as it stands in a report before it was graded."""
    return Item(choice.lab, choice.number, choice.name, choice.points)


def cases_of(exercise: Exercise, seed: int) -> Sequence[Case]:
    """Return the cases that grading with `seed` tries."""
    return exercise.cases(_generator(exercise, seed, "cases"), True)


def _generator(exercise: Exercise, seed: int, what: str) -> random.Random:
    # Text seeds a generator in the same way on every machine and in every run.
    return random.Random(f"{seed} {exercise.lab} {exercise.name} {what}")


@dataclass
class Trial:
    """What the exercises of one submission share.

    Attributes:
        notebook: its text.
        seed: what the cases are made with.
        folder: an empty folder for the submission's own files, which the caller removes.
        limits: what it may use.
        deadline: when its time is over, on the monotonic clock.
        stop: as in `Conversation`.
    """

    notebook: str
    seed: int
    folder: Path
    limits: Limits
    deadline: float
    stop: int | None = None

    def grade(self, exercise: Exercise) -> Item:
        """Return what the submission earns in one exercise."""
        return self._with_worker(
            blank(exercise), lambda worker, item: self._graded(worker, item, exercise)
        )

    def choose(self, choice: Choice) -> Item:
        """Return what the submission earns for its explanation."""
        return self._with_worker(
            blank_choice(choice), lambda worker, item: self._chosen(worker, item, choice)
        )

    def _with_worker(self, item: Item, work: Callable[[Conversation, Item], Item]) -> Item:
        began = time.monotonic()
        printed = Printed(self.limits.printed)
        if self._left(1.0) <= 0:
            text = "The time for the whole submission was over before this exercise."
            return item.without_points("no answer", text)
        try:
            worker = self._worker(printed)
            try:
                item = work(worker, item)
            finally:
                worker.close()
        finally:
            end_all(below_this, reap_all)
            remove_folder(self.folder)
        text = harmless(item.text if len(item.text) <= _TEXT else item.text[:_TEXT] + " ...")
        seconds = round(time.monotonic() - began, 3)
        return replace(item, text=text, printed=harmless(printed.text), seconds=seconds)

    def _worker(
        self, printed: Printed, *, folder: str = "work", hidden: bool = False
    ) -> Conversation:
        return Conversation(
            self.folder / folder,
            self.limits,
            printed,
            stop=self.stop,
            hash_seed=_hash_seed(self.seed),
            hidden=hidden,
        )

    def _left(self, seconds: float) -> float:
        """Return `seconds`, or what is left of the submission's time if that is less."""
        return min(seconds, self.deadline - time.monotonic())

    def _chosen(self, worker: Conversation, item: Item, choice: Choice) -> Item:
        question = {"do": "literal", "notebook": self.notebook, "name": choice.name}
        answer = worker.ask(question, self._left(self.limits.start))
        if isinstance(answer, NoAnswer):
            return item.without_points("no answer", answer.text)
        if "unreadable" in answer:
            return item.without_points("unreadable", str(answer["unreadable"]))
        if not answer.get("found"):
            text = f"No cell assigns a plain value to `{choice.name}`."
            return item.without_points("missing", text)
        return chosen(item, choice, decode(answer["literal"]))

    def _graded(self, worker: Conversation, item: Item, exercise: Exercise) -> Item:
        forbids = exercise.forbids
        question = {
            "do": "prepare",
            "notebook": self.notebook,
            "name": exercise.name,
            "forbids": {
                "modules": list(forbids.modules),
                "names": list(forbids.names),
                "calls": list(forbids.calls),
            },
        }
        answer = worker.ask(question, self._left(self.limits.start))
        if isinstance(answer, NoAnswer):
            return item.without_points("no answer", answer.text)
        if "unreadable" in answer:
            return item.without_points("unreadable", str(answer["unreadable"]))
        if not answer["found"]:
            return item.without_points("missing", _missing(exercise, answer["broken"]))
        uses = [str(use) for use in answer["uses"]]
        cases = cases_of(exercise, self.seed)
        if answer["stub"] or uses:
            verdict = judge(exercise, cases, [], stub=bool(answer["stub"]), forbidden=uses)
            return _item(item, verdict, "not done" if verdict.not_done else "forbidden")
        loaded = worker.ask({"do": "load"}, self._left(self.limits.load))
        outcomes = self._outcomes(worker, exercise, cases)
        verdict = diagnosed(judge(exercise, cases, outcomes), exercise, cases, outcomes)
        lost = next((outcome for outcome in outcomes if isinstance(outcome, NoAnswer)), None)
        item = _item(item, verdict, "no answer" if lost else "wrong")
        if not verdict.right and not isinstance(loaded, NoAnswer):
            item = replace(item, text=item.text + _failures(loaded))
        if exercise.speed is not None:
            from hpml.grading import speed

            item = speed.add(
                item,
                exercise,
                worker,
                verdict,
                reference=lambda: self._worker(
                    Printed(self.limits.printed), folder="reference", hidden=True
                ),
                # Not from the seed, which others may know: no input of a round can be foreseen,
                # and its result computed before.
                generator=random.SystemRandom(),
                left=self._left,
            )
        return item

    def _outcomes(
        self, worker: Conversation, exercise: Exercise, cases: Sequence[Case]
    ) -> list[Outcome]:
        """Return the outcome of each case; after one without an answer, the others have none."""
        outcomes: list[Outcome] = []
        harness = harness_source(exercise.arguments, exercise.observe)
        for case in cases:
            if worker.ended is not None:
                outcomes.append(worker.ended)
                continue
            question = {
                "do": "call",
                "data": encode(dict(case.data)),
                "harness": harness,
            }
            answer = worker.ask(question, self._left(exercise.seconds))
            outcomes.append(
                answer if isinstance(answer, NoAnswer) else outcome_of(answer.get("outcome"))
            )
        return outcomes


def below_this() -> list[Process]:
    """Return every process that this one started, and all that those did."""
    import os

    return below(os.getpid())


def _hash_seed(seed: int) -> int:
    # A submission can read it in its environment, and must not learn the seed of the cases from it.
    return int.from_bytes(hashlib.sha256(f"hashes {seed}".encode()).digest()[:4])


def _item(item: Item, verdict: Verdict, otherwise: str) -> Item:
    earned = verdict.points
    status = "right" if verdict.right else "partly right" if earned > 0 else otherwise
    text = "" if verdict.right else verdict.text
    return replace(item, earned=earned, status=status, text=text, parts=verdict.parts)


def chosen(item: Item, choice: Choice, value: object) -> Item:
    """Return the item with the points for the experiment of that number.

    >>> choice = Choice("06", 4, best=2)
    >>> chosen(blank_choice(choice), choice, 2).earned
    1.0
    """
    wanted = f"a number from 1 to {choice.experiments}"
    if value is None:
        return item.without_points("not done", f"`{choice.name}` is still None: not done yet.")
    if type(value) is not int or not 1 <= value <= choice.experiments:
        text = f"`{choice.name}`: expected {wanted}, got {describe(value)}."
        return item.without_points("wrong", text)
    if value != choice.best:
        text = f"Experiment {value} does not tell the three hypotheses apart."
        return item.without_points("wrong", text)
    return replace(item, earned=float(choice.points), status="right")


def _missing(exercise: Exercise, broken: Sequence[Mapping[str, Any]]) -> str:
    text = f"No cell of the notebook defines a function `{exercise.name}`."
    if broken:
        cells = "; ".join(f"cell {entry['cell']}: {entry['message']}" for entry in broken[:3])
        text += f" Cells that are no Python: {cells}."
    return text


def _failures(loaded: Mapping[str, Any]) -> str:
    """Return what failed while the submission was loaded, as text; it is the worker's claim."""
    failed = loaded.get("failed")
    lines = []
    for entry in failed[:3] if type(failed) is list else ():
        outcome = outcome_of(entry.get("outcome")) if type(entry) is dict else None
        if isinstance(outcome, Raised):
            where = f"cell {str(entry.get('cell'))[:8]}, line {str(entry.get('line'))[:8]}"
            message = " ".join(outcome.message[:200].split())
            lines.append(f"In {where}: {outcome.type}: {message}")
    return "\n" + "\n".join(lines) if lines else ""
