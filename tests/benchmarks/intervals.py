"""How often a comparison is wrong, on simulated noise: ``python -m tests.benchmarks.intervals``.

Times of identical contenders are drawn from models of what machines do (`tests.benchmarks.noise`,
and the bursts below) and judged as `hpml.benchmark.compare` judges them: a verdict is false. Then
one is made slower by a known factor, to see how often that is found. Beside it are two usual rules:
Student's t-test on the means, and the quotient of the minima, believed from one per cent on.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hpml.base.tables import Table
from hpml.benchmark.paired import CLEAR, WIDEST, is_far
from hpml.benchmark.ratio import RESOLUTION, paired_ratio
from hpml.benchmark.robust import student_quantile
from hpml.benchmark.sampling.rounds import looks
from tests.benchmarks.noise import NOISES, Draw, Noise, Times, normal

ROUNDS = (7, 15, 25, 41, 60)
SMALL = 1.02
LARGE = (1.5, 2.0, 4.0)
TEN_TIMES = math.log(10)

Judged = tuple[float, float]
"""The lower and upper end of an interval for the logarithm of a ratio."""
Rule = Callable[[Times], Judged]


def compare_rule(times: Times) -> Judged:
    """The rule of `hpml.benchmark`."""
    base, other = (tuple(np.exp(row).tolist()) for row in times)
    ratio = paired_ratio(other, base)
    return math.log(max(ratio.low, 1e-300)), math.log(ratio.high)


def staged_rule(times: Times) -> Judged:
    """The same with `stop_early`: the verdict of the first look that is clear."""
    rounds = times.shape[1]
    for count in looks(rounds):
        base, other = (tuple(np.exp(row[:count]).tolist()) for row in times)
        usual = paired_ratio(other, base)
        close = usual.high <= WIDEST * usual.low
        if close and is_far(paired_ratio(other, base, risk=CLEAR), count):
            return compare_rule(times[:, :count])
    return compare_rule(times)


def t_test(times: Times) -> Judged:
    """Student's interval for the difference of the means, as a share of the baseline's."""
    base, other = np.exp(times)
    change = other.mean() / base.mean() - 1
    error = math.sqrt((base.var(ddof=1) + other.var(ddof=1)) / len(base)) / base.mean()
    reach = student_quantile(0.975, 2 * len(base) - 2) * error
    return change - reach, change + reach


def minimum(times: Times) -> Judged:
    """The quotient of the two minima, with the resolution on both sides."""
    base, other = times.min(axis=1)
    return other - base - RESOLUTION, other - base + RESOLUTION


RULES: dict[str, Rule] = {
    "compare": staged_rule,
    "all rounds": compare_rule,
    "t-test": t_test,
    "minimum": minimum,
}


def bursts(count: int, *, in_a_row: bool, both: bool) -> Draw:
    """Return noise of 1 % in which so many rounds take ten times as long."""

    def draw(rng: np.random.Generator, contenders: int, rounds: int) -> Times:
        times = normal(0.01)(rng, contenders, rounds)
        start = int(rng.integers(0, rounds - count + 1))
        hit = np.arange(start, start + count) if in_a_row else rng.choice(rounds, count, False)
        for row in range(contenders) if both else [int(rng.integers(contenders))]:
            times[row, hit] += TEN_TIMES * rng.uniform(0.8, 1.2, count)
        return times

    return draw


@dataclass(frozen=True)
class Figures:
    """What came of one noise at one number of rounds by one rule; shares of the runs, 0 to 1."""

    noise: str
    rounds: int
    rule: str
    false: float
    covered: float
    found: tuple[float, ...]
    width: float
    """Geometric mean of the upper over the lower end."""


def simulate(
    noise: Noise, rounds: int, runs: int, effects: Sequence[float], rule: str, seed: int = 0
) -> Figures:
    """Judge `runs` comparisons of two equal contenders, and with each of the effects."""
    false = covered = widths = 0.0
    found = [0.0] * len(effects)
    rng = np.random.default_rng([seed, rounds, sum(map(ord, noise.name))])
    for _ in range(runs):
        times = noise.draw(rng, 2, rounds)
        low, high = RULES[rule](times)
        false += low > 0 or high < 0
        widths += high - low
        for place, effect in enumerate(effects):
            slower = times + np.array([[0.0], [math.log(effect)]])
            low, high = RULES[rule](slower)
            found[place] += low > 0
            covered += low <= math.log(effect) <= high or low <= 0 <= high
    shares = tuple(count / runs for count in found)
    return Figures(
        noise.name,
        rounds,
        rule,
        false / runs,
        covered / runs / len(effects),
        shares,
        math.exp(widths / runs),
    )


def noises_table(runs: int, rounds: Sequence[int] = ROUNDS) -> Table:
    """Return a row for each noise, number of rounds and rule."""
    rows = []
    for noise in NOISES:
        for count in rounds:
            for rule in RULES:
                f = simulate(noise, count, runs, [SMALL], rule)
                name = noise.name if noise.seen else f"{noise.name} (no promise)"
                rows.append([name, count, rule, f.false, f.covered, *f.found, f.width])
    head = ["noise", "rounds", "rule", "false", "covered", "finds 2 %", "width"]
    return _table(head, rows, "Two equal contenders, and one 2 % slower")


def bursts_table(runs: int) -> Table:
    """Return a row for each number and kind of disturbed rounds."""
    rows = []
    for rounds, counts in ((25, (1, 3, 5)), (60, (1, 3, 6, 9, 12))):
        for in_a_row in (True, False):
            for both in (False, True):
                for count in counts:
                    kind = f"{'in a row' if in_a_row else 'scattered'}, {'both' if both else 'one'}"
                    noise = Noise(kind, bursts(count, in_a_row=in_a_row, both=both))
                    f = simulate(noise, rounds, runs, LARGE, "compare")
                    rows.append([kind, rounds, count, f.false, f.covered, *f.found, f.width])
    head = ["ten times as long", "rounds", "disturbed", "false", "covered",
            *(f"finds {effect:g}" for effect in LARGE), "width"]  # fmt: skip
    return _table(head, rows, "Some rounds take ten times as long, noise 1 %")


def _table(head: list[str], rows: list[list[object]], title: str) -> Table:
    shares = {name: lambda share: f"{100 * share:.1f}" for name in head[3:-1]}
    caption = (
        "Shares in % of the runs. False: a verdict on equal contenders. Covered: the interval "
        "contains the ratio, or the answer is “cannot tell”. Width: upper over lower end."
    )
    formats = {**shares, "width": lambda width: f"{width:.3f}"}
    return Table(head, rows, title=title, caption=caption, formats=formats)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ROUNDS))
    options = parser.parse_args()
    print(noises_table(options.runs, options.rounds), bursts_table(options.runs), sep="\n\n")


if __name__ == "__main__":
    main()
