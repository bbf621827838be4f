"""Judge the quality of a measurement, and say how to improve it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hpml.base.tables import format_seconds
from hpml.benchmark.ratio import FEWEST_ROUNDS, TREND
from hpml.benchmark.robust import mann_kendall, median, quartiles

WIDEST_SPREAD = 0.10
"""Largest interquartile range over median without a warning, as in torch.utils.benchmark."""

SMALLEST_DRIFT = 0.03
"""Smallest drift to report, as a fraction."""

SHORTEST_SAMPLE = 100e-6
"""Seconds. Reading the clock twice costs 0.1 to 1 µs, at most one per cent of such a sample."""

CLOCK_TICKS = 1000
"""Ticks of the clock in the shortest good sample."""

MOST_NAMES = 4
"""Measurements to list by name; the others are only counted."""


@dataclass(frozen=True)
class Advice:
    """One problem of a measurement (one of `_BY_SEVERITY`), its evidence and its remedy."""

    problem: str
    seen: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.seen}. {self.remedy}"


NamedAdvice = Iterable[tuple[str, Advice]]
"""Pieces of advice, each with the name of its measurement."""


BUSY = ("disturbed rounds", "unstable")
"""Problems that a busy machine causes."""

BUSY_KEY = "busy"

_given: dict[str, object] | None = None
"""In a report: by remedy, the comparison that gave it first. Outside of one: None."""


def begin_report() -> None:
    """Begin a report of many comparisons, such as a notebook: it gives each remedy once.

    The report is that of the process, because its comparisons are shown in separate cells, which
    pass each other nothing. Another call begins another report.
    """
    global _given
    _given = {}


def end_report() -> None:
    """End the report: each comparison gives its own remedies again."""
    global _given
    _given = None


def is_new(remedy: str, owner: object) -> bool:
    """Return whether a remedy was not given yet, or by the same `owner`, which may be shown twice.

    Outside of a report it is always new.
    """
    return _given is None or _given.setdefault(remedy, owner) == owner


def footnote(named: NamedAdvice, owner: object = None) -> str:
    """Return a short paragraph with the problems, the most serious first, and two remedies.

    In a report (`begin_report`) the problems of a busy machine, and each remedy, appear below the
    first `owner` only.
    """
    groups = _by_problem(named, owner)
    parts = []
    for kind, group in groups.items():
        (first, advice), *others = group
        seen = f"{first}: {advice.seen}" if others else advice.seen
        parts.append(f"{kind}: {some_names(dict.fromkeys(name for name, _ in group))} ({seen})")
    found = dict.fromkeys(group[0][1].remedy for group in groups.values())
    # One may be the beginning of another.
    remedies = [r for r in found if not any(o != r and o.startswith(r[:-1]) for o in found)]
    remedies = [remedy for remedy in remedies[:2] if is_new(remedy, owner)]
    text = " ".join(["; ".join(parts) + ".", *remedies]) if parts else ""
    return text[:1].upper() + text[1:]


def heading(named: NamedAdvice, owner: object = None) -> str:
    """Return a title for notes on a measurement that names the problems in its `footnote`.

    >>> heading([("a", Advice("unstable", "the samples spread", "Repeat."))])
    'How it was measured (note: unstable)'
    """
    problems = ", ".join(_by_problem(named, owner))
    return f"How it was measured{problems and f' (note: {problems})'}"


def _by_problem(named: NamedAdvice, owner: object) -> dict[str, list[tuple[str, Advice]]]:
    """Return the advice for `footnote` by problem, the most serious first."""
    named = list(named)
    if any(advice.problem in BUSY for _, advice in named) and not is_new(BUSY_KEY, owner):
        named = [(name, advice) for name, advice in named if advice.problem not in BUSY]
    groups: dict[str, list[tuple[str, Advice]]] = {}
    for name, advice in sorted(named, key=lambda each: _BY_SEVERITY.index(each[1].problem)):
        groups.setdefault(advice.problem, []).append((name, advice))
    return groups


_BY_SEVERITY = (
    "first call",
    "garbage collector",
    "disturbed rounds",
    "processes differ",
    "medians",
    "cannot tell",
    "few samples",
    "short samples",
    "unstable",
)
"""Order in a footnote."""


def unstable(named: NamedAdvice) -> tuple[str, ...]:
    """Return the names of all unstable measurements, each once."""
    return tuple(dict.fromkeys(name for name, advice in named if advice.problem == "unstable"))


def some_names(names: Iterable[str]) -> str:
    """Return names as part of a sentence; of many, only the first few."""
    listed = [f"“{name}”" if "," in name else name for name in names]
    if len(listed) <= MOST_NAMES + 1:
        return ", ".join(listed)
    return f"{', '.join(listed[:MOST_NAMES])} and {len(listed) - MOST_NAMES} more"


def judge(samples: Sequence[float], number: int) -> tuple[Advice, ...]:
    """Return the problems of a measurement, the most serious first."""
    problems = [_few(samples), _short(samples, number), _drift(samples) or _wide(samples)]
    return tuple(advice for advice in problems if advice is not None)


def _few(samples: Sequence[float]) -> Advice | None:
    if len(samples) >= FEWEST_ROUNDS:
        return None
    return Advice(
        "few samples",
        f"{len(samples)} samples; a 95 % interval for the median needs {FEWEST_ROUNDS}",
        "Take at least 15 samples; 25 or more for differences of a few per cent.",
    )


def _short(samples: Sequence[float], number: int) -> Advice | None:
    lasted = median(samples) * number
    tick = time.get_clock_info("perf_counter").resolution
    needed = max(SHORTEST_SAMPLE, CLOCK_TICKS * tick)
    if lasted >= needed:
        return None
    return Advice(
        "short samples",
        f"a sample lasted {format_seconds(lasted)}, so reading the clock may distort it",
        f"Raise min_sample_time to {format_seconds(needed)} or more.",
    )


def _drift(samples: Sequence[float]) -> Advice | None:
    third = len(samples) // 3
    if third < 3 or abs(mann_kendall(samples)) < TREND:
        return None
    change = median(samples[-third:]) / median(samples[:third]) - 1
    if abs(change) < SMALLEST_DRIFT:
        return None
    direction = "slower" if change > 0 else "faster"
    return Advice(
        "unstable",
        f"the last third of the samples is {abs(change):.0%} {direction} than the first",
        "Let the machine settle, or raise warm_up, and repeat. A ratio is still valid if both "
        "contenders drift in the same way.",
    )


def _wide(samples: Sequence[float]) -> Advice | None:
    low, middle, high = quartiles(samples)
    if high - low <= WIDEST_SPREAD * middle:
        return None
    return Advice(
        "unstable",
        f"the middle half of the samples spans {(high - low) / middle:.0%} of the median",
        "Close other programs, keep the laptop on mains power, use fewer threads than cores, "
        "and raise min_sample_time or the number of samples.",
    )
