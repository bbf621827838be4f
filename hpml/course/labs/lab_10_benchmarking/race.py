"""The error rates of rules that decide which program is faster, on data with a known truth."""

from __future__ import annotations

import math
import random
import statistics
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base import style
from hpml.base.charts import Bar, Chart, Dot, Line, bars, dots, lines, show
from hpml.base.errors import describe
from hpml.base.page import Page, put, say
from hpml.base.tables import Table
from hpml.benchmark.ratio import paired_ratio
from hpml.benchmark.robust import median_interval
from hpml.course.labs.lab_10_benchmarking.recordings import NAMES, recording
from hpml.course.labs.lab_10_benchmarking.samples import Rounds, draw_rounds

Rule = Callable[[list[float], list[float]], str]
ANSWERS = ("faster", "slower", "cannot tell")
NOISES: Mapping[str, Mapping[str, Any]] = {
    "scatter of 1 %": {"noise": 0.01},
    "one sample in ten disturbed": {"noise": 0.01, "outliers": 0.1},
    "drift of 50 %": {"noise": 0.01, "drift": 0.5},
    "each in two states, 5 % apart": {"noise": 0.007, "own_modes": 0.05},
}
"""The kinds of noise, as arguments of `draw_rounds`."""
ROUNDS = 25


@dataclass(frozen=True)
class Rates:
    """By rule and noise, the shares of false verdicts and of detected differences of 5 %."""

    false: Mapping[str, Mapping[str, float]]
    found: Mapping[str, Mapping[str, float]]
    runs: int

    def worst(self, rule: str) -> float:
        """Return the largest share of false verdicts over all noises."""
        return max(self.false[rule].values())

    def draw(self) -> Page:
        """Draw all shares, above a table of the worst and best of each rule."""
        rows = [
            [rule, self.worst(rule), min(self.found[rule].values()), max(self.found[rule].values())]
            for rule in self.false
        ]
        columns = ["rule", "false verdicts, at worst", "finds 5 %, at worst", "at best"]
        table = Table(columns, rows, formats=dict.fromkeys(columns[1:], "{:.0%}".format))
        caption = (
            f"{self.runs} runs of {ROUNDS} rounds for each mark. Left: an honest rule stays near "
            "or left of the dashed line, 5 %. Right: the further right, the better."
        )
        return show(
            _rates_chart(self.false, "Two equal programs: false verdicts", at=[5]),
            _rates_chart(self.found, "A difference of 5 %: found"),
            beside=True, width=9.4, caption=caption, text=f"{caption}\n{table}",
            after=table._repr_html_(),
        )  # fmt: skip


def _rates_chart(
    shares: Mapping[str, Mapping[str, float]], title: str, at: Sequence[float] = ()
) -> Chart:
    shades = style.series(list(shares))
    rows = [
        Dot(noise, 100 * share, colour=shades[rule], marker="os^DvP"[place % 6],
            label="" if at else rule)
        for place, (rule, found) in enumerate(shares.items())
        for noise, share in found.items()
    ]  # fmt: skip
    return dots(rows, title=title, x="% of runs", xlim=(-4, 104), at=at)


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
    """Return each rule's verdict on the first 25 rounds of each recording, and the truth."""
    rows = []
    for name in NAMES:
        found = recording(name)
        both = list(found.a[:25]), list(found.b[:25])
        truth = "faster" if found.truth > 1 else "equal"
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
        differ = [draw_rounds(rng, ROUNDS, more=0.05, **how) for _ in range(runs)]
        for name, rule in ready.items():
            false[name][noise] = sum(rule(*both) != "cannot tell" for both in equal) / runs
            found[name][noise] = sum(rule(*both) == "faster" for both in differ) / runs
    return Rates(false, found, runs)


def duel(rules: Mapping[str, Rule], draws: int = 100) -> Callable[..., Page]:
    """Return a function that shows samples and all rules' verdicts for a setting of the noise."""
    ready = _answering(rules)

    def drawn(
        difference: float, drift: float, outliers: float, modes: float, rounds: int, order: str
    ) -> Page:
        rng, in_turns = random.Random(10), order == "in turns"
        noise: dict[str, Any] = {
            "drift": drift,
            "outliers": outliers,
            "modes": modes,
            "in_turns": in_turns,
        }
        pairs = [draw_rounds(rng, rounds, more=difference, **noise) for _ in range(draws)]
        answers = {name: [rule(*both) for both in pairs] for name, rule in ready.items()}
        return _drawn_duel(pairs[0], answers, difference, in_turns)

    return drawn


def _drawn_duel(
    first: Rounds, answers: Mapping[str, Sequence[str]], difference: float, in_turns: bool
) -> Page:
    a, b = first
    count = len(a)
    later = range(0 if in_turns else count, count if in_turns else 2 * count)
    samples = [Line("a", range(count), a, "", style.DATA, "o"),
               Line("b", later, b, "", style.SECOND, "s")]  # fmt: skip
    truth = "faster" if difference else "cannot tell"
    rows, texts = [], []
    for name, given in answers.items():
        good = 100 * sum(answer == truth for answer in given) / len(given)
        none = 100 * sum(answer == "cannot tell" != truth for answer in given) / len(given)
        wrong = 100 - good - none
        rows.append(Bar(name, [(good, style.PASS), (none, style.UNKNOWN), (wrong, style.FAIL)]))
        texts.append(f"{name}: {good:.0f} % right, {wrong:.0f} % wrong")
    right_is = "a is faster" if difference else "a and b are equal"
    return show(
        lines(samples, title="One run", x="in the order taken", y="µs per call",
              ylim=(0, 1.05 * max(a + b))),
        bars(rows, title=f"{len(given)} runs: {right_is}", x="% of runs", y=" ", xlim=(0, 100)),
        beside=True, width=9.4, text="; ".join(texts) + ".",
        caption="Green: right. Grey: it cannot tell, though there is a difference. Orange: a "
        "false verdict.",
    )  # fmt: skip


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
