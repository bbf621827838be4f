"""The error rates of rules that decide which program is faster, on data with a known truth."""

from __future__ import annotations

import math
import random
import statistics
import textwrap
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base import style
from hpml.base.charts import Chart, Line, lines, name_rows, show
from hpml.base.errors import describe
from hpml.base.page import Page, put, say
from hpml.base.tables import Table
from hpml.benchmark.ratio import paired_ratio
from hpml.benchmark.robust import median_interval
from hpml.course.labs.lab_10_benchmarking.recordings import NAMES, recording
from hpml.course.labs.lab_10_benchmarking.samples import Rounds, draw_rounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rule = Callable[[list[float], list[float]], str]
ANSWERS = ("faster", "slower", "cannot tell")
NOISES: Mapping[str, Mapping[str, Any]] = {
    "scatter of 1 %": {"noise": 0.01},
    "one sample in ten disturbed": {"noise": 0.01, "outliers": 0.1},
    "drift of 50 %": {"noise": 0.01, "drift": 0.5},
    "each in two states, 5 % apart": {"noise": 0.007, "own_modes": 0.05},
}
"""The kinds of noise, as arguments of `draw_rounds`."""
DUELS: Mapping[str, Mapping[str, Any]] = {
    "scatter only": {},
    "drift of 10 %": {"drift": 0.1},
    "drift of 100 %": {"drift": 1.0},
    "outliers": {"outliers": 0.2},
    "modes": {"modes": 0.5},
}
"""The kinds of noise that a reader chooses from; the scatter of 2 % is in all."""
ROUNDS = 25
LIMIT = 0.05
"""The share of false verdicts that a rule of 95 % may have."""


@dataclass(frozen=True)
class Rates:
    """By rule and noise, the shares of false verdicts and of detected differences of 5 %.

    In every second run with a difference a is slower, so that a rule must know both directions.
    """

    false: Mapping[str, Mapping[str, float]]
    found: Mapping[str, Mapping[str, float]]
    runs: int

    def worst(self, rule: str) -> float:
        """Return the largest share of false verdicts over all noises."""
        return max(self.false[rule].values())

    @property
    def limit(self) -> float:
        """The largest share of false verdicts that 5 % and the chance of so few runs explain."""
        return _limit(self.runs)

    def draw(self) -> Page:
        """Draw all shares as two tables of rules and noises."""
        caption = (
            f"Each number: {self.runs} runs of {ROUNDS} rounds. Framed and bold: above "
            f"{self.limit:.0%}, too many for a rule of 95 % and chance."
        )
        return show(
            _shares_chart(self.false, "Two equal programs: false verdicts", style.FAIL, self.limit),
            _shares_chart(self.found, "A difference of 5 %: found", style.PASS),
            beside=True, width=9.4, caption=caption,
        )  # fmt: skip


def _limit(runs: int) -> float:
    return LIMIT + 2 * math.sqrt(LIMIT * (1 - LIMIT) / runs)


def _shares_chart(
    shares: Mapping[str, Mapping[str, float]], title: str, colour: str, limit: float = math.inf
) -> Chart:
    """Return a table of shares, a row a rule and a column a noise; those above the limit framed."""
    noises = list(NOISES)

    def draw(ax: Axes) -> None:
        for row, found in enumerate(shares.values()):
            for column, noise in enumerate(noises):
                share, above = found[noise], found[noise] > limit
                ground = style.tint(colour, 0.06 + 0.5 * share)  # light enough for dark numbers
                frame = style.INK if above else "none"
                ax.barh(row, 0.92, 0.88, left=column - 0.46, color=ground, edgecolor=frame,
                        linewidth=1.6, zorder=2)  # fmt: skip
                ax.text(column, row, f"{share:.0%}", ha="center", va="center", zorder=3,
                        fontsize=10, fontweight="bold" if above else "normal")  # fmt: skip
        name_rows(ax, list(shares))
        names = [noise.replace(" %", "\N{NO-BREAK SPACE}%") for noise in noises]
        ax.set_xlim(-0.5, len(noises) - 0.5)
        ax.set_xticks(range(len(noises)), [textwrap.fill(name, 15) for name in names])
        ax.tick_params(axis="x", length=0)
        ax.grid(visible=False)
        ax.spines[["left", "bottom"]].set_visible(False)

    text = "; ".join(
        f"{rule}: "
        + ", ".join(
            f"{share:.0%} with {noise}{' (above the limit)' * (share > limit)}"
            for noise, share in found.items()
        )
        for rule, found in shares.items()
    )
    return Chart(draw, f"{text}.", 1.3 + 0.42 * len(shares), title=title)


def by_t_test(a: Sequence[float], b: Sequence[float]) -> str:
    """Return which mean is lower by more than two standard errors, if any."""
    error = math.sqrt((statistics.variance(a) + statistics.variance(b)) / len(a))
    apart = statistics.mean(a) - statistics.mean(b)
    return "cannot tell" if abs(apart) < 2 * error else "faster" if apart < 0 else "slower"


def by_coin_tosses(a: Sequence[float], b: Sequence[float]) -> str:
    """Return the verdict of a sign test at 95 %: which one won significantly more rounds."""
    low, high = median_interval([x / y for x, y in zip(a, b, strict=True)])
    return "faster" if high < 1 else "slower" if low > 1 else "cannot tell"


def by_library(a: Sequence[float], b: Sequence[float]) -> str:
    """Return the verdict of `hpml.benchmark` on samples from the same rounds."""
    return paired_ratio(tuple(a), tuple(b)).answer


def on_recordings(rules: Mapping[str, Rule]) -> Table:
    """Return each rule's verdict on the first 25 rounds of each recording, and the truth.

    In every second recording with a difference its two programs have changed places.
    """
    rows, turned = [], True
    for name in NAMES:
        found = recording(name)
        both = list(found.a[:25]), list(found.b[:25])
        truth = "faster" if found.truth > 1 else "equal"
        if truth != "equal":
            turned = not turned
            both, truth = (both[::-1], "slower") if turned else (both, truth)
        rows.append([name, truth, *(rule(*both) for rule in rules.values())])
    return Table(["recording", "in truth a is", *rules], rows)


def race_rules(rules: Mapping[str, Rule], *, runs: int = 200) -> Rates:
    """Estimate the rates of rules from simulated rounds with each kind of noise."""
    ready = _answering(rules)
    false: dict[str, dict[str, float]] = {name: {} for name in ready}
    found: dict[str, dict[str, float]] = {name: {} for name in ready}
    rng = random.Random(10)
    for noise, how in NOISES.items():
        equal = [draw_rounds(rng, ROUNDS, **how) for _ in range(runs)]
        differ = [_one_slower(rng, ROUNDS, run, more=0.05, **how) for run in range(runs)]
        for name, rule in ready.items():
            false[name][noise] = sum(rule(*both) != "cannot tell" for both in equal) / runs
            found[name][noise] = sum(rule(*both) == truth for truth, both in differ) / runs
    return Rates(false, found, runs)


def _one_slower(rng: random.Random, rounds: int, run: int, **how: Any) -> tuple[str, Rounds]:
    """Return what is true of a against b, and the rounds: a takes longer in every second run."""
    a, b = draw_rounds(rng, rounds, **how)
    return ("slower", (b, a)) if run % 2 else ("faster", (a, b))


def duel(rules: Mapping[str, Rule], draws: int = 100) -> Callable[..., Page]:
    """Return a function that shows samples and all rules' verdicts for one of `DUELS`."""
    ready = _answering(rules)

    def drawn(difference: float, noise: str, order: str) -> Page:
        rng, in_turns = random.Random(10), order == "in turns"
        how = {**DUELS[noise], "in_turns": in_turns}
        pairs = [_one_slower(rng, ROUNDS, run, more=difference, **how) for run in range(draws)]
        truths = [truth if difference else "cannot tell" for truth, _ in pairs]
        answers = {name: [rule(*both) for _, both in pairs] for name, rule in ready.items()}
        # The same axis for each difference, with room for the largest in the lab, 5 %.
        alike = draw_rounds(random.Random(10), ROUNDS, **how)
        return _drawn_duel(pairs[0][1], answers, truths, in_turns, 1.1 * max(*alike[0], *alike[1]))

    return drawn


def _drawn_duel(
    first: Rounds,
    answers: Mapping[str, Sequence[str]],
    truths: Sequence[str],
    in_turns: bool,
    highest: float,
) -> Page:
    a, b = first
    count = len(a)
    later = range(0 if in_turns else count, count if in_turns else 2 * count)
    samples = [Line("a", range(count), a, "", style.DATA, "o"),
               Line("b", later, b, "", style.SECOND, "s")]  # fmt: skip
    return show(
        lines(samples, title="One run", x="in the order taken", y="µs per call",
              ylim=(0, highest)),
        verdicts_chart(answers, truths),
        beside=True, width=9.4,
        caption="Cross: false verdicts, in orange if 5 % (dashed) and chance do not explain them. "
        "Circle: right ones.",
    )  # fmt: skip


def verdicts_chart(answers: Mapping[str, Sequence[str]], truths: Sequence[str]) -> Chart:
    """Return each rule's share of false verdicts beside a line at 5 %, with its right answers.

    Where the programs are equal, "cannot tell" is right, and only the false verdicts are drawn.
    """
    runs, differ = len(truths), "cannot tell" not in truths
    false, right = {}, {}
    for name, given in answers.items():
        judged = list(zip(given, truths, strict=True))
        false[name] = sum("cannot tell" != answer != truth for answer, truth in judged) / runs
        right[name] = sum(answer == truth for answer, truth in judged) / runs

    def draw(ax: Axes) -> None:
        for row, name in enumerate(answers):
            colour = style.FAIL if false[name] > _limit(runs) else style.INK
            ax.plot([0, 100 * false[name]], [row] * 2, color=style.tint(colour, 0.5), lw=4)
            ax.plot(100 * false[name], row, "X", color=colour, markersize=9)
            told = f"{false[name]:.0%} false"
            if differ:
                ax.plot(100 * right[name], row, "o", color=style.DATA, markersize=9,
                        markerfacecolor="white", markeredgewidth=2)  # fmt: skip
                told += f", {right[name]:.0%} right"
            ax.annotate(told, (1.04, row), va="center", fontsize=9, annotation_clip=False,
                        xycoords=("axes fraction", "data"))  # fmt: skip
        name_rows(ax, list(answers))

    title = f"{runs} runs: {'a faster and slower in turn' if differ else 'a and b are equal'}"
    text = "; ".join(
        f"{name}: {right[name]:.0%} right, {false[name]:.0%} false".replace("%", " %")
        for name in answers
    )
    return Chart(draw, f"{text}.", 1.3 + 0.42 * len(answers), title=title, x="% of runs", y=" ",
                 xlim=(-4, 104), at=[100 * LIMIT])  # fmt: skip


def _answering(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return the rules that give a valid answer, and report the others."""
    ready = {}
    tried = draw_rounds(random.Random(1), 25)
    for name, rule in rules.items():
        try:
            answer: object = rule(*tried)
        except Exception as error:  # noqa: BLE001 - unfinished code may raise anything
            answer = error
        if answer in ANSWERS:
            ready[name] = rule
        else:
            problem = f"**{name}** is left out: it returned {describe(answer)}."
            put(say(problem), uuid.uuid4().hex)
    return ready
