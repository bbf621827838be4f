"""Rules that decide who is faster, tried where the truth is known: how often is each wrong?"""

from __future__ import annotations

import math
import random
import statistics
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hpml.base import style
from hpml.base.charts import Bar, bars, name_rows
from hpml.base.errors import describe
from hpml.base.page import Page, picture, put, say
from hpml.base.tables import Table
from hpml.benchmark.noise import NOISES, Noise
from hpml.benchmark.ratio import paired_ratio
from hpml.labs.lab_10_benchmarking.recordings import NAMES, recording
from hpml.labs.lab_10_benchmarking.samples import Rounds, draw_rounds

Rule = Callable[[list[float], list[float]], str]
ANSWERS = ("faster", "slower", "cannot tell")
TRIED = (
    "normal, 1 %", "a tail of 3 %", "spikes, one in ten", "all drift together, 20 %",
    "two sticky modes, 5 %",
)  # fmt: skip
CHANGE = 1.05
_ROLES = ("muted", "sequential", "peer", "handwritten", "codegen", "compiled")


@dataclass(frozen=True)
class Rates:
    """How often rules, by noise, speak of two equal programs, and find a difference of 5 %."""

    false: Mapping[str, Mapping[str, float]]
    found: Mapping[str, Mapping[str, float]]
    runs: int
    rounds: int

    def worst(self, rule: str) -> float:
        """Return the largest share of false verdicts, over all noises."""
        return max(self.false[rule].values())

    @property
    def table(self) -> Table:
        """A row a rule: its false verdicts at worst, and what it finds at best and at worst."""
        rows = [
            [rule, self.worst(rule), min(self.found[rule].values()), max(self.found[rule].values())]
            for rule in self.false
        ]
        columns = ["rule", "false verdicts, at worst", "finds 5 %, at worst", "at best"]
        return Table(columns, rows, formats=dict.fromkeys(columns[1:], "{:.0%}".format))

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        fig, axes = style.figure(1, 2, width=9.4, height=3.7, sharey=True)
        noises = list(next(iter(self.false.values())))
        for ax, shares, title in (
            (axes[0], self.false, "Two equal programs: a verdict"),
            (axes[1], self.found, "A difference of 5 %: found"),
        ):
            with style.apply():
                for place, rule in enumerate(shares):
                    colour, up = style.PALETTE[_ROLES[place % 6]], 0.12 * (place - 2)
                    values = [100 * shares[rule][noise] for noise in noises]
                    rows = [row + up for row in range(len(noises))]
                    label = rule if ax is axes[1] else None
                    ax.plot(values, rows, "os^DvP"[place % 6], color=colour, label=label)
                ax.set_xlim(-4, 104)
                if ax is axes[0]:
                    ax.axvline(5, color=style.PALETTE["muted"], lw=1, ls=(0, (4, 3)))
            name_rows(ax, noises)
            style.finish(ax, title=title, x="% of runs", y="")
        axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        text = (
            f"{self.runs} runs of {self.rounds} rounds for each mark. Left, every verdict is "
            "false: an honest rule stays near the broken line, 5 %. Right, further is better."
        )
        style.caption(fig, text)
        drawn = picture(fig, text)
        return Page(repr(self), drawn.html + self.table._repr_html_(), drawn.png).bundle()


def by_t_test(a: Sequence[float], b: Sequence[float]) -> str:
    """Return whose mean is lower by more than two standard errors of the difference, if any."""
    error = math.sqrt((statistics.variance(a) + statistics.variance(b)) / len(a))
    apart = statistics.mean(a) - statistics.mean(b)
    return "cannot tell" if abs(apart) < 2 * error else "faster" if apart < 0 else "slower"


def by_library(a: Sequence[float], b: Sequence[float]) -> str:
    """Return the answer of `hpml.benchmark` for two lists from the same rounds."""
    return paired_ratio(tuple(a), tuple(b)).answer


def on_recordings(rules: Mapping[str, Rule]) -> Table:
    """Return what each rule says of the first 25 rounds of each recording, beside the truth."""
    rows = []
    for name in NAMES:
        found = recording(name)
        both = list(found.a[:25]), list(found.b[:25])
        truth = "faster" if found.truth > 1 else "equal"
        rows.append([name, truth, *(rule(*both) for rule in rules.values())])
    return Table(["recording", "in truth a is", *rules], rows)


def race_rules(rules: Mapping[str, Rule], *, runs: int = 200, rounds: int = 25) -> Rates:
    """Try rules on rounds drawn from `hpml.benchmark.noise`.

    A rule that gives no answer, as an exercise that is not written yet, is named and left out.
    """
    import numpy as np

    ready = _answering(rules)
    false: dict[str, dict[str, float]] = {name: {} for name in ready}
    found: dict[str, dict[str, float]] = {name: {} for name in ready}
    for place, noise in enumerate(noise for noise in NOISES if noise.name in TRIED):
        generator = np.random.default_rng([10, place])
        equal = [_rounds(noise, generator, rounds, 1.0) for _ in range(runs)]
        differ = [_rounds(noise, generator, rounds, CHANGE) for _ in range(runs)]
        for name, rule in ready.items():
            false[name][noise.name] = sum(rule(*both) != "cannot tell" for both in equal) / runs
            found[name][noise.name] = sum(rule(*both) == "faster" for both in differ) / runs
    return Rates(false, found, runs, rounds)


def duel(rules: Mapping[str, Rule], draws: int = 100) -> Callable[..., Page]:
    """Return what shows, for one setting of the noise, samples and the verdicts of all rules."""
    ready = _answering(rules)

    def show(
        difference: float = 0.0,
        drift: float = 0.0,
        outliers: float = 0.0,
        modes: float = 0.0,
        rounds: int = 25,
        order: str = "in turns",
    ) -> Page:
        chance = random.Random(10)
        in_turns = order == "in turns"
        pairs = [
            draw_rounds(chance, rounds, more=difference, drift=drift, outliers=outliers,
                        modes=modes, in_turns=in_turns)
            for _ in range(draws)
        ]  # fmt: skip
        answers = {name: [rule(*both) for both in pairs] for name, rule in ready.items()}
        return _drawn_duel(pairs[0], answers, difference, in_turns)

    return show


def _drawn_duel(
    first: Rounds, answers: Mapping[str, Sequence[str]], difference: float, in_turns: bool
) -> Page:
    fig, (left, right) = style.figure(1, 2, width=9.4, height=3.5)
    a, b = first
    count = len(a)
    turns = range(count) if in_turns else range(2 * count)
    with style.apply():
        left.plot(turns[:count], a, "o", ms=4, color=style.PALETTE["handwritten"], label="a")
        left.plot(turns[-count:], b, "s", ms=4, color=style.PALETTE["sequential"], label="b")
    left.set_ylim(0, 1.05 * max(a + b))
    style.finish(left, title="One run", x="in the order taken", y="µs a call")
    truth = "faster" if difference else "cannot tell"
    rows, told = [], []
    for name, given in answers.items():
        good = 100 * sum(answer == truth for answer in given) / len(given)
        none = 100 * sum(answer == "cannot tell" != truth for answer in given) / len(given)
        wrong = 100 - good - none
        parts = zip((good, none, wrong), ("codegen", "muted", "accent"), strict=True)
        rows.append(Bar(name, [(share, style.PALETTE[role]) for share, role in parts]))
        told.append(f"{name}: {good:.0f} % right, {wrong:.0f} % wrong")
    bars(right, rows)
    right.set_xlim(0, 100)
    right_is = "a is faster" if difference else "they are equal"
    style.finish(right, title=f"{len(given)} runs: {right_is}", x="% of runs", y="")
    style.caption(fig, "Green: right. Grey: it cannot tell, though there is a difference. Orange: "
                       "a false verdict.")  # fmt: skip
    return picture(fig, "; ".join(told) + ".")


def _rounds(noise: Noise, generator: object, rounds: int, factor: float) -> Rounds:
    import numpy as np

    times = 100 * np.exp(noise.draw(generator, 2, rounds))  # type: ignore[arg-type]
    return times[0].tolist(), (factor * times[1]).tolist()


def _answering(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return the rules that answer; the others are named."""
    ready = {}
    tried = draw_rounds(random.Random(1), 25)
    for name, rule in rules.items():
        try:
            answer: object = rule(*tried)
        except Exception as error:  # noqa: BLE001 - whatever unfinished code does
            answer = error
        if answer in ANSWERS:
            ready[name] = rule
        else:
            told = f"**{name}** does not take part: it gave {describe(answer)}."
            put(say(told), uuid.uuid4().hex)
    return ready
