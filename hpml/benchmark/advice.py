"""The tool judges its own result: is this measurement good enough, and if not, what to do?"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hpml.base.tables import format_seconds
from hpml.benchmark.ratio import FEWEST_ROUNDS, TREND
from hpml.benchmark.robust import mann_kendall, median, quartiles

WIDEST_SPREAD = 0.10
"""Interquartile range over median above which torch.utils.benchmark warns, and so do we."""

WORTH_A_WORD = 0.03
"""A drift is mentioned from this fraction on."""

SHORTEST_SAMPLE = 100e-6
"""Seconds. Reading the clock twice costs 0.1 to 1 µs: at most one per cent of such a sample."""

CLOCK_TICKS = 1000
"""A sample lasts at least so many ticks of the clock, so that one tick is a thousandth of it."""

MOST_NAMES = 4
"""Of more measurements than this with the same problem, the rest are counted."""


@dataclass(frozen=True)
class Advice:
    """One thing that is wrong with a measurement.

    Attributes:
        problem: one of `_GRAVEST`; samples that do not lie close together are "unstable".
        seen: what the samples show, with numbers.
        remedy: what to do.

    >>> print(Advice("few samples", "3 samples", "Take at least 6."))
    few samples: 3 samples. Take at least 6.
    """

    problem: str
    seen: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}: {self.seen}. {self.remedy}"


Found = Iterable[tuple[str, Advice]]
"""Advice, each with the name of the measurement it is about."""


def footnote(found: Found) -> str:
    """Return one short paragraph: what was seen, the most serious first, and what to do."""
    listed = sorted(found, key=lambda each: _GRAVEST.index(each[1].problem))
    explained = {name for name, advice in listed if advice.problem in _GRAVEST[:2]}
    groups: dict[str, list[tuple[str, Advice]]] = {}
    for name, advice in listed:
        if advice.problem != "unstable" or name not in explained:
            groups.setdefault(advice.problem, []).append((name, advice))
    parts = []
    for kind, group in groups.items():
        (first, advice), *others = group
        seen = f"{first}: {advice.seen}" if others else advice.seen
        parts.append(f"{kind}: {some_names(dict.fromkeys(name for name, _ in group))} ({seen})")
    every = dict.fromkeys(group[0][1].remedy for group in groups.values())
    remedies = [each for each in every if not _is_said_by(every, each)][:2]
    return capital(" ".join(["; ".join(parts) + ".", *remedies])) if parts else ""


def _is_said_by(remedies: Iterable[str], one: str) -> bool:
    """Return whether another remedy begins with this one."""
    return any(each != one and each.startswith(one.rstrip(".")) for each in remedies)


_GRAVEST = (
    "first call",
    "wide interval",
    "cannot tell",
    "few samples",
    "short samples",
    "unstable",
)
"""The order of a footnote; what the first two explain is not called unstable as well."""


def unstable(found: Found) -> tuple[str, ...]:
    """Return the names of all whose samples do not lie close together, each once."""
    return tuple(dict.fromkeys(name for name, advice in found if advice.problem == "unstable"))


def some_names(names: Iterable[str]) -> str:
    """Return names for a sentence, the first few of many."""
    listed = [f"“{name}”" if "," in name else name for name in names]
    if len(listed) <= MOST_NAMES + 1:
        return ", ".join(listed)
    return f"{', '.join(listed[:MOST_NAMES])} and {len(listed) - MOST_NAMES} more"


def capital(text: str) -> str:
    """Return a sentence with its first letter large, and the others as they are."""
    return text[:1].upper() + text[1:]


def judge(samples: Sequence[float], number: int) -> tuple[Advice, ...]:
    """Return what is wrong with a measurement, the gravest first; empty if nothing is."""
    found = [_few(samples), _short(samples, number), _drift(samples) or _wide(samples)]
    return tuple(advice for advice in found if advice is not None)


def _few(samples: Sequence[float]) -> Advice | None:
    if len(samples) >= FEWEST_ROUNDS:
        return None
    return Advice(
        "few samples",
        f"{len(samples)} samples, and no 95 % interval for the median exists below {FEWEST_ROUNDS}",
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
        f"a sample lasted {format_seconds(lasted)}, so that reading the clock is part of it",
        f"Raise min_sample_time to {format_seconds(needed)} or more: more calls a sample.",
    )


def _drift(samples: Sequence[float]) -> Advice | None:
    third = len(samples) // 3
    if third < 3 or abs(mann_kendall(samples)) < TREND:
        return None
    change = median(samples[-third:]) / median(samples[:third]) - 1
    if abs(change) < WORTH_A_WORD:
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
