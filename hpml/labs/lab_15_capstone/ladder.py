"""A log of mends: each measured in turns with the version before it and with the original."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base import style
from hpml.base.charts import Bar, bars
from hpml.base.files import results_folder
from hpml.base.page import Page, picture, say
from hpml.benchmark import Case as RecordedCase
from hpml.benchmark import Comparison, Ratio, write_case
from hpml.benchmark.record import Parameters
from hpml.course.exercises.exercise import Case, Wrong
from hpml.course.exercises.outcomes import outcome_of
from hpml.course.racing import race
from hpml.labs.lab_15_capstone.exercises import judge_training
from hpml.labs.lab_15_capstone.harness import reported, waves
from hpml.labs.lab_15_capstone.student_script import SIZES, Script, frozen, problem
from hpml.sandbox.calling import call

SUITE = "capstone"


@dataclass(frozen=True)
class Rung:
    """A version in the log.

    Attributes:
        what: the mend, in the student's words.
        train: the version.
        comparison: original, the version before, and this one.
    """

    what: str
    train: Callable[..., Any]
    comparison: Comparison

    @property
    def bought(self) -> Ratio:
        """The time as a multiple of the version before."""
        return self.comparison.ratio("this", "before")

    @property
    def total(self) -> Ratio:
        """The time as a multiple of the original."""
        return self.comparison.ratio("this", "original")


@dataclass
class Ladder:
    """The versions of one script, from the original down."""

    script: Script
    rungs: list[Rung] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file of results, one line for each measurement."""
        return results_folder() / "capstone" / f"results_{self.script.seed}.jsonl"

    def add(self, what: str, train: Callable[..., Any]) -> Page:
        """Check a version, measure it in turns with the one before, and draw the ladder.

        A mend that is in the log already takes its place again, and what came after it is dropped.
        """
        wrong = equal_losses(train)
        if wrong is not None:
            return say(f"**{what}** is not in the log: expected {wrong.expected}, got {wrong.got}.")
        place = next((n for n, rung in enumerate(self.rungs) if rung.what == what), None)
        del self.rungs[len(self.rungs) if place is None else place :]
        before = self.rungs[-1].train if self.rungs else self.script.train
        given, now = problem(), frozen(train)
        runs = {"original": self.script.train, "before": before, "this": now}
        raced = race({name: functools.partial(run, **given) for name, run in runs.items()})
        self.rungs.append(Rung(what, now, raced))
        parameters: Parameters = {
            "student": self.script.student, "seed": self.script.seed,
            "mend": what, "place": len(self.rungs),
        }  # fmt: skip
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_case(self.path, RecordedCase(SUITE, parameters, raced))
        return self.draw()

    def draw(self) -> Page:
        """Return the picture: the time that is left after each mend, and what each mend bought."""
        fig, ax = style.figure(width=9.5, height=1.5 + 0.5 * (len(self.rungs) + 1))
        left, gone = style.PALETTE["codegen"], style.tint(style.PALETTE["accent"], 0.35)
        rows, told, last = [Bar("original", [(1.0, style.PALETTE["muted"])], "1")], [], 1.0
        for rung in self.rungs:
            total, bought = rung.total, rung.bought
            parts = [(total.value, left), (max(0.0, last - total.value), gone)]
            how = f"{1 / bought.high:.2f} to {1 / bought.low:.2f}"
            answer = "" if bought.answer == "faster" else f", {bought.answer}"
            text = f"{total.value:.2f}   this mend: {bought.speed_up:.2f} × ({how}){answer}"
            rows.append(Bar(rung.what, parts, text, (total.low, total.high)))
            told.append(f"{rung.what}: {total} of the original; {bought} of the version before")
            last = total.value
        bars(ax, rows)
        ax.set_xlim(0, 1.75)
        ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
        style.finish(ax, title="What each mend bought", x="time / the original's", y="")
        threads = "95 % intervals; each row measured in turns with the row above and the original."
        style.caption(fig, f"Light: what the mend saved. {threads}")
        return picture(fig, "The ladder of mends. " + ("; ".join(told) or "No mend yet."))


def equal_losses(train: Callable[..., Any]) -> Wrong | None:
    """Return where a version reports something else than the scripts do, or None."""
    small = {**SIZES, "count": 150, "length": 64, "width": 32, "seed": 3, "drawn": 3}
    outcome = outcome_of(call(train, waves, reported, small))
    return judge_training(Case("as large as in the ladder", small), outcome)
