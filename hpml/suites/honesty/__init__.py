"""The suite `honesty`: how often `compare` itself is wrong, on noise whose truth is known.

Times of identical contenders are drawn from models of what machines do, see `noise`, and judged as
`hpml.benchmark.compare` judges them: a verdict is false. Beside it stand two usual ways to judge
the same samples: Student's t-test on the means, as pyperf does, and the quotient of the minima,
believed from one per cent on. Then one contender is made slower by 2 %, to see who finds it, and by
known factors, to see whether the interval holds them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base import style
from hpml.base.tables import Shown, Table
from hpml.benchmark.locking import check_place
from hpml.benchmark.ratio import RESOLUTION, Ratio, paired_ratio
from hpml.suites.errors import SuiteError
from hpml.suites.honesty.noise import NOISES, Noise
from hpml.suites.options import positive, run_command

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from hpml.suites.honesty.noise import Times

ROUNDS = (7, 15, 25, 41)
FACTORS = (0.5, 0.8, 0.95, 1.05, 1.25, 2.0)
CHANGE = 1.02
MANY = 7


@dataclass(frozen=True)
class Figures:
    """What came of one noise at one number of rounds; shares of the runs, from 0 to 1.

    Attributes:
        noise: its name.
        rounds: of each run.
        false: a verdict on two identical contenders: ours.
        false_t_test, false_minimum: the same, of the other two ways.
        false_many: a verdict on any of seven identical contenders.
        covered: the interval holds the true ratio, or the answer is "cannot tell".
        found: the right verdict on a change of 2 %: ours.
        found_t_test, found_minimum: the same, of the other two ways.
    """

    noise: str
    rounds: int
    false: float
    false_t_test: float
    false_minimum: float
    false_many: float
    covered: float
    found: float
    found_t_test: float
    found_minimum: float


@dataclass(frozen=True)
class HonestyResult(Shown):
    """What the simulations showed."""

    figures: tuple[Figures, ...]
    runs: int

    def table(self) -> pd.DataFrame:
        """Return one row for each noise and number of rounds, shares from 0 to 1."""
        import pandas as pd

        return pd.DataFrame([vars(figures) for figures in self.figures])

    def plot(self) -> Figure:
        """Draw how often each way to judge is wrong, at the number of rounds where it is worst."""
        names = list(dict.fromkeys(figures.noise for figures in self.figures))
        fig, ax = style.figure(width=8.4, height=1.4 + 0.36 * len(names))
        ways = (("false", "compare", "accent"), ("false_t_test", "t-test", "handwritten"),
                ("false_minimum", "minimum", "muted"))  # fmt: skip
        for attribute, label, role in ways:
            worst = [
                max(100 * getattr(f, attribute) for f in self.figures if f.noise == name)
                for name in names
            ]
            ax.plot(worst, range(len(names)), "o", color=style.PALETTE[role], label=label)
        ax.axvline(5, color=style.PALETTE["muted"], linewidth=1, linestyle=(0, (4, 3)))
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        style.finish(ax, title="False verdicts on identical contenders", x="% of runs", y="")
        ax.legend(frameon=False)
        return fig

    def _shown(self) -> list[Table]:
        """One row a noise: false verdicts by rounds, the rest at the number nearest to 25."""
        rounds = sorted({figures.rounds for figures in self.figures})
        usual = min(rounds, key=lambda n: abs(n - 25))
        by = {(figures.noise, figures.rounds): figures for figures in self.figures}
        rest = ("false_t_test", "false_minimum", "false_many", "covered",
                "found", "found_t_test", "found_minimum")  # fmt: skip
        head = ["noise", *(f"false, {n}" for n in rounds), "t-test", "minimum", "of seven",
                "covered", "found 2 %", "t-test finds", "minimum finds"]  # fmt: skip
        rows = [
            [
                name,
                *(by[name, n].false for n in rounds),
                *(getattr(by[name, usual], a) for a in rest),
            ]
            for name in dict.fromkeys(figures.noise for figures in self.figures)
        ]
        table = Table(
            head,
            rows,
            title="How often a comparison is wrong, and what it finds",
            caption=f"In % of {self.runs:,} simulated runs. False: a verdict on two identical "
            f"contenders, by the number of rounds; all others at {usual} rounds. Of seven: a "
            "verdict on any of seven. Covered: the interval holds the ratio, or it cannot tell. "
            f"{_unseen()}",
            formats=dict.fromkeys(head[1:], lambda share: f"{100 * float(share):.1f}"),
        )
        return [table]


def run(
    rounds: Sequence[int] = ROUNDS,
    *,
    runs: int = 1000,
    noises: Sequence[Noise] = NOISES,
    seed: int = 0,
    progress: bool = False,
) -> HonestyResult:
    """Simulate comparisons and count how often they are right.

    Args:
        rounds: numbers of rounds; each at least 2.
        runs: simulated for each noise and number of rounds; half as many for seven contenders.
        noises: by default `hpml.suites.honesty.noise.NOISES`.
        seed: of the noise.
        progress: show a progress bar.

    Raises:
        SuiteError: if a number is out of range.

    >>> result = run([25], runs=20, noises=NOISES[:1])
    >>> result.figures[0].false, result.figures[0].found_t_test
    (0.0, 1.0)
    """
    import numpy as np

    if runs < 1 or any(n < 2 for n in rounds):
        raise SuiteError(
            f"honesty: expected at least 1 run and 2 rounds, got {runs} and {list(rounds)}."
        )
    cells: Iterable[tuple[Noise, int]] = [(noise, n) for noise in noises for n in rounds]
    if progress:
        from tqdm.auto import tqdm

        cells = tqdm(cells, unit="noise", leave=False)
    figures = tuple(
        _simulate(noise, n, runs, np.random.default_rng([seed, place]))
        for place, (noise, n) in enumerate(cells)
    )
    return HonestyResult(figures, runs)


def _simulate(noise: Noise, rounds: int, runs: int, generator: np.random.Generator) -> Figures:
    def share(count: int, happens: Callable[[], bool]) -> float:
        return sum(happens() for _ in range(count)) / count

    def pair(factor: float = 1.0) -> Times:
        import numpy as np

        times: Times = np.exp(noise.draw(generator, 2, rounds))
        times[1] *= factor
        return times

    same = [pair() for _ in range(runs)]
    slower = [pair(CHANGE) for _ in range(runs)]
    covered = iter(FACTORS * math.ceil(runs / len(FACTORS)))
    return Figures(
        noise.name,
        rounds,
        false=sum(_judge(t).answer != "cannot tell" for t in same) / runs,
        false_t_test=sum(abs(_t(t)) > _student(2 * rounds - 2) for t in same) / runs,
        false_minimum=sum(abs(_minimum(t)) > RESOLUTION for t in same) / runs,
        false_many=share(max(runs // 2, 1), lambda: _any_of_many(noise, rounds, generator)),
        covered=share(runs, lambda: _covers(pair(factor := next(covered)), factor)),
        found=sum(_judge(t).answer == "slower" for t in slower) / runs,
        found_t_test=sum(_t(t) > _student(2 * rounds - 2) for t in slower) / runs,
        found_minimum=sum(_minimum(t) > RESOLUTION for t in slower) / runs,
    )


def _judge(times: Times, together: int = 1) -> Ratio:
    """Return the ratio of the second contender to the first."""
    base, other = (tuple(row.tolist()) for row in times)
    return paired_ratio(other, base, together=together)


def _any_of_many(noise: Noise, rounds: int, generator: np.random.Generator) -> bool:
    import numpy as np

    times = np.exp(noise.draw(generator, MANY, rounds))
    return any(
        _judge(times[[0, other]], MANY - 1).answer != "cannot tell" for other in range(1, MANY)
    )


def _covers(times: Times, factor: float) -> bool:
    ratio = _judge(times)
    return ratio.answer == "cannot tell" or ratio.low <= factor <= ratio.high


def _minimum(times: Times) -> float:
    """Return by which fraction the second contender's minimum lies above the first's."""
    base, other = times.min(axis=1)
    return float(other / base - 1)


def _t(times: Times) -> float:
    """Return Student's statistic for the difference of two means, of equally many samples."""
    base, other = times.mean(axis=1)
    spread = times.var(axis=1, ddof=1).sum() / times.shape[1]
    return float((other - base) / math.sqrt(spread))


def _student(freedom: int) -> float:
    """Return the 97.5 % point of Student's distribution, to three digits from two on.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    z = 1.959964
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def _unseen() -> str:
    hidden = [noise.name for noise in NOISES if not noise.seen]
    return f"No promise is made for: {', '.join(hidden)}, as too little in the run shows it."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml bench honesty``."""
    parser.add_argument(
        "--rounds",
        type=positive,
        nargs="+",
        default=list(ROUNDS),
        metavar="N",
        help=f"numbers of rounds (default: {' '.join(map(str, ROUNDS))})",
    )
    parser.add_argument(
        "--runs",
        type=positive,
        default=1000,
        metavar="N",
        help="simulated for each noise and number of rounds (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the noise (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the table goes, as CSV")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw a picture: .png, .svg, .pdf"
    )
    parser.set_defaults(main=_main, suite_name="honesty", ending=".csv")


def _main(arguments: argparse.Namespace) -> int:
    """Run the suite for the command line and return the exit code."""

    def simulate(out: Path) -> HonestyResult:
        check_place(out, "noise,rounds,")
        out.parent.mkdir(parents=True, exist_ok=True)
        result = run(arguments.rounds, runs=arguments.runs, seed=arguments.seed, progress=True)
        result.table().to_csv(out, index=False)
        return result

    return run_command(arguments, simulate)
