"""A log of fixes; each is measured in turns with the previous version and the original."""

from __future__ import annotations

import glob
import itertools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base import style
from hpml.base.charts import Bar, bars, show
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_bytes
from hpml.benchmark import BenchmarkError, Comparison, Estimate, Ratio, read_cases, write_case
from hpml.benchmark import Case as RecordedCase
from hpml.benchmark.printed import too_wide
from hpml.benchmark.saved.record import Parameters
from hpml.course.files import results_folder
from hpml.course.labs.lab_15_capstone.exercises import SIZES, judge_kind
from hpml.course.labs.lab_15_capstone.harness import reported, waves
from hpml.course.labs.lab_15_capstone.student_script import Script, frozen
from hpml.course.lesson.exercises.exercise import Case, Wrong
from hpml.course.lesson.exercises.outcomes import outcome_of
from hpml.course.lesson.racing import race
from hpml.course.sandbox.calling import call

SUITE = "capstone"


@dataclass(frozen=True)
class Rung:
    """A version in the log."""

    what: str
    train: Callable[..., Any]
    comparison: Comparison
    expected: float
    because: str
    kept: int  # the peak of the bytes that autograd kept

    @property
    def bought(self) -> Ratio:
        """The time as a multiple of the previous version's."""
        before = "before" if "before" in self.comparison.names else "original"
        return self.comparison.ratio("this", before)

    @property
    def total(self) -> Ratio:
        """The time as a multiple of the original's."""
        return self.comparison.ratio("this", "original")

    @property
    def held(self) -> str:
        """Whether the claim was within 10 % of the measured interval."""
        bought = self.bought
        if self.expected * bought.low > 1.1:
            return "too high"
        return "too low" if self.expected * bought.high < 0.9 else "held"


@dataclass
class Ladder:
    """The versions of a script after each fix."""

    script: Script
    rungs: list[Rung] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The file of results, one line per measurement; of names it has the nickname alone."""
        name = re.sub(r"\W+", "_", self.name.lower()).strip("_") or "unnamed"
        return results_folder() / "capstone" / f"results_{name}.jsonl"

    @property
    def name(self) -> str:
        """What the table of a class calls the script."""
        return self.script.nickname or "unnamed"

    def add(
        self, what: str, train: Callable[..., Any], expected: float | None, because: str
    ) -> Page:
        """Check a version, measure it next to the previous one, and draw the ladder."""
        if not isinstance(expected, (int, float)) or not because:
            return say(
                f"**{what}** is not in the log yet. Write your claim first: how many times as fast "
                "as the version before, and from which observation you conclude it."
            )
        wrong = equal_losses(train, self.script.kind)
        if wrong is not None:
            return say(f"**{what}** is not in the log: {wrong.why or wrong.received}.")
        names = [rung.what for rung in self.rungs]
        del self.rungs[names.index(what) if what in names else len(names) :]
        given, now = self.script.problem, frozen(train)
        runs = {"original": self.script.train, "this": now}
        if self.rungs:
            runs["before"] = self.rungs[-1].train
        # Each call has a new seed, so that cached losses do not help.
        seeds = itertools.count(given["seed"])

        def calling(run: Callable[..., Any]) -> Callable[[], Any]:
            return lambda: run(**{**given, "seed": next(seeds)})

        raced = race({name: calling(run) for name, run in runs.items()})
        self.rungs.append(Rung(what, now, raced, expected, because, most_kept(now, given)))
        parameters: Parameters = {
            "student": self.name, "script": self.script.kind,
            "fix": what, "place": len(self.rungs),
        }  # fmt: skip
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_case(self.path, RecordedCase(SUITE, parameters, raced))
        return self.draw()

    def draw(self) -> Page:
        """Draw the time that is left after each fix, and the gain of each fix."""
        gone = style.tint(style.ACCENT, 0.35)
        rows, last = [Bar("original", 1.0, "1", colour=style.MUTED)], 1.0
        for rung in self.rungs:
            total, bought = rung.total, rung.bought
            parts = [(total.value, style.DATA), (max(0.0, last - total.value), gone)]
            text = f"{total.shown}, this fix: {_times(bought)}"
            rows.append(Bar(rung.what, parts, text, (total.low, total.high)))
            last = total.value
        caption = (
            "Pale: what the fix saved. 95 % intervals; each row was measured in turns with the "
            "row above and the original."
        )
        chart = bars(rows, title="What each fix gained", x="time / the original's")
        return show(chart, caption=caption, width=9.5)

    def table(self) -> Table:
        """Return each claim next to its measurement, and the memory that each version keeps."""
        rows = [
            [rung.what, rung.because, f"{rung.expected:.2f} ×", _times(rung.bought), rung.held,
             format_bytes(rung.kept), _times(rung.total)] for rung in self.rungs
        ]  # fmt: skip
        columns = ["fix", "because", "claimed", "measured", "claim", "autograd keeps", "total"]
        caption = (
            "A claim held if it is within 10 % of the interval. The original keeps at most "
            f"{format_bytes(most_kept(self.script.train, self.script.problem))} at a time."
        )
        return Table(columns, rows, caption=caption)


def _times(ratio: Ratio) -> str:
    answer = "" if ratio.answer == "faster" else f", {ratio.answer}"
    return f"{ratio.inverse.with_interval} ×{answer}"


def most_kept(train: Callable[..., Any], problem: Mapping[str, Any]) -> int:
    """Return the peak of the bytes of saved tensors in a run."""
    import torch

    alive = most = 0

    class Kept:
        def __init__(self, tensor: torch.Tensor) -> None:
            nonlocal alive, most
            self.tensor = tensor
            alive += tensor.nbytes
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= self.tensor.nbytes

    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        train(**problem)
    return most


def equal_losses(train: Callable[..., Any], kind: str = "network") -> Wrong | None:
    """Return where a version's reports differ from the original's, or None."""
    small = {**SIZES[kind], "count": 150, "length": 64, "width": 32, "seed": 3, "drawn": 3}
    outcome = outcome_of(call(train, waves, reported, small))
    return judge_kind(kind)(Case("as large as in the ladder", small), outcome)


def class_table(paths: Iterable[str | Path]) -> Table:
    """Return the ranking of a class from its files of results, fastest first."""
    entries: list[tuple[str, str, Ratio, str]] = []
    for path in paths:
        cases = [case for case in read_cases(path) if case.suite == SUITE]
        if not cases:
            raise BenchmarkError(
                object=str(path),
                expected=f"results of suite {SUITE}",
                received="none",
                remedy="Measure the fixes first, or name another file.",
            )
        last = cases[-1]
        machine = str(last.comparison["this"].environment.get("cpu", "not recorded"))
        ratio = last.comparison.ratio("this", "original")
        name, kind = (str(last.parameters[key]) for key in ("student", "script"))
        entries.append((name, kind, ratio, machine))
    entries.sort(key=lambda entry: entry[2].value)
    rows: list[list[object]] = []
    rank, slowest = 0, 0.0
    for place, (name, kind, ratio, machine) in enumerate(entries, start=1):
        rank = place if ratio.low > slowest else rank
        slowest = max(slowest, ratio.high)
        faster = ratio.inverse
        shown = None if too_wide(faster.low, faster.high) else faster.shown
        rows.append([rank, name, kind, shown, faster.interval, machine])
    caption = (
        "Each version was measured in turns with its original, on the student's machine. Entries "
        "whose intervals overlap share a rank."
    )
    columns = ["rank", "name", "script", "times as fast", "95 % interval", "machine"]
    return Table(columns, rows, caption=caption)


def reading_shares(just_now: Estimate, long_ago: Estimate, lists: Estimate) -> str:
    """Return which shares of the time of 64 `item` the causes have, as text for `say`.

    The estimates are of reading losses that were computed just now, of reading them long after, and
    of reading them with 64 `tolist`.

    >>> reading_shares(Estimate(50e-6, 48e-6, 52e-6), *[Estimate(44e-6, 42e-6, 46e-6)] * 2)
    'Of the time just after computing, **81% to 96%** remain when the losses were computed long ...
    """
    kept, called = long_ago / just_now, lists / long_ago
    moment = "the rest belongs to the moment" if kept.high < 1 else "the moment may cost nothing"
    return (
        f"Of the time just after computing, **{kept.low:.0%} to {kept.high:.0%}** remain when the "
        f"losses were computed long ago: {moment}. 64 calls of `tolist` take {called.low:.0%} to "
        f"{called.high:.0%} of the time of 64 `item`."
    )


if __name__ == "__main__":
    # Shells of Windows leave patterns as they are.
    print(class_table(name for pattern in sys.argv[1:] for name in glob.glob(pattern) or [pattern]))
