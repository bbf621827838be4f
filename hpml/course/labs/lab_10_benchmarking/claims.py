"""A profile against a benchmark, the machine's clock frequency, and the parts of a claim."""

from __future__ import annotations

import platform
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from hpml.base import style
from hpml.base.charts import Dot, dots, show
from hpml.base.page import Page, show_code
from hpml.base.tables import Table
from hpml.benchmark import Comparison
from hpml.profiling import FunctionProfile, profile


@dataclass(frozen=True)
class Blame:
    """The share of each part of a program by profile and by benchmark, and its calls."""

    profiled: Mapping[str, float]
    measured: Mapping[str, float]
    calls: Mapping[str, int]

    @property
    def worst(self) -> str:
        """The part whose share the profile overestimates most."""
        return max(self.profiled, key=lambda name: self.profiled[name] - self.measured[name])

    @property
    def verdict(self) -> str:
        """Which part looks too expensive."""
        name = self.worst
        return (
            f"{name} looks too expensive: {self.profiled[name]:.0%} by the profile, "
            f"{self.measured[name]:.0%} by the benchmark."
        )

    def draw(self) -> Page:
        """Draw both shares of each part in one row."""
        rows = []
        for name, calls in self.calls.items():
            alone, share = self.measured[name], self.profiled[name]
            text = f"benchmark {alone:.0%}, profile {share:.0%}\n{calls:,} call{'s' * (calls > 1)}"
            rows.append(Dot(name, 100 * alone, marker="s", label="by the benchmark"))
            rows.append(Dot(name, 100 * share, text, colour=style.ACCENT, label="by the profile"))
        title, x = "The time of each part", "% of the program's time"
        return show(dots(rows, title=title, x=x, xlim=(0, 100)))


def blame(
    program: Callable[[], object],
    measured: Comparison,
    parts: Mapping[str, Callable[[], object]],
) -> Blame:
    """Profile a program several times, and compare the parts with their benchmark."""
    profiles = [_seconds(profile(program), parts) for _ in range(9)]
    rounds = zip(*(measured[name].samples for name in parts), strict=True)
    alone = [dict(zip(parts, row, strict=True)) for row in rounds]
    calls = {name: profile(part).calls for name, part in parts.items()}
    return Blame(_shares(profiles), _shares(alone), calls)


def _seconds(found: FunctionProfile, parts: Iterable[str]) -> dict[str, float]:
    return {name: entry[3] for (_, _, name), entry in found.stats.items() if name in parts}


def _shares(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the median share of each part, computed within runs, as the speed may drift."""
    middle = {
        name: statistics.median(run[name] / sum(run.values()) for run in runs) for name in runs[0]
    }
    return {name: share / sum(middle.values()) for name, share in middle.items()}


def command_output(line: str) -> Page:
    """Run a command line that starts with ``python`` in this interpreter, and show its output."""
    _, *arguments = shlex.split(line)
    with tempfile.TemporaryDirectory() as folder:  # a student's file could shadow a module
        done = subprocess.run(
            [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, check=False
        )
    return show_code(done.stdout + done.stderr, f"$ {line}")


def frequency() -> str:
    """Return the clock frequency as a sentence."""
    found = psutil.cpu_freq()
    if found is None:
        return "this system does not report it."
    limits = f" (range {found.min / 1e3:.2f} to {found.max / 1e3:.2f})" if found.max else ""
    return f"the cores run at {found.current / 1e3:.2f} GHz on average{limits}."


_KINDS = {
    "speed": re.compile(r"\bfast(?:er)?\b", re.IGNORECASE),
    "time": re.compile(r"\b(?:time of|long(?:er)?|slow(?:er)?|takes)\b", re.IGNORECASE),
}


_WORDS = {1: ("one", "a", "the same"), 5: ("five",)}


def claim_parts(claim: str, measured: Comparison, name: str, baseline: str) -> Table:
    """Return which parts of an honest claim a sentence contains, with the measured values."""
    ratio = measured.ratio(name, baseline)
    numbers = [float(text) for text in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)", claim)]
    machine = str(measured.measurements[0].environment.get("cpu"))
    python = platform.python_version()
    collector = "on" if measured[name].collector else "off"

    as_time = {"time": ratio, "speed": ratio.inverse}
    if _claimed_for(claim, name, baseline) == baseline:
        as_time = {"time": ratio.inverse, "speed": ratio}
    meant = [as_time[kind] for kind, words in _KINDS.items() if words.search(claim)]

    def says(*ends: str) -> bool:
        return any(_contains(numbers, [getattr(each, end) for end in ends]) for each in meant)

    numbered = (str(measured.processes), *_WORDS.get(measured.processes, ()))
    ends = f"{ratio.interval} (or {ratio.inverse.interval})"
    parts = [
        ("the programs compared", f"{name} and {baseline}", name in claim and baseline in claim),
        ("the ratio", f"{ratio.shown} (or {ratio.inverse.shown})", says("value")),
        ("its interval", ends, says("value", "low", "high")),
        ("how many rounds", str(measured.rounds), measured.rounds in numbers),
        ("in how many processes", str(measured.processes), bool(
            re.search(rf"\b(?:{'|'.join(numbered)})\b"
                      r"(?: fresh)? process(?:es)?\b", claim))),
        ("the size of the job", "how many numbers", bool(re.search(r"\d[\d,_]* numbers", claim))),
        ("whether the garbage collector was on", collector,
         bool(re.search(rf"\bcollector\b[^,.;]*\b{collector}\b", claim))),
        ("Python's version", python, python.rpartition(".")[0] in claim),
        ("the machine", machine, machine.lower() in claim.lower()),
    ]  # fmt: skip
    rows = [[part, wanted, "✓" if stated else "missing"] for part, wanted, stated in parts]
    return Table(["an honest claim says", "by your measurement", "yours"], rows)


def _claimed_for(claim: str, name: str, baseline: str) -> str:
    """Return which of two programs a claim is about; the other is what it is compared with."""
    before = r"\b(?:than|as|of|with|to|against|over)\s+(?:the\s+)?"
    compared = [each for each in (name, baseline) if re.search(before + re.escape(each), claim)]
    if len(compared) == 1:
        return baseline if compared[0] == name else name
    found = {each: claim.find(each) for each in (name, baseline) if each in claim}
    return min(found, key=found.__getitem__, default=name)


def _contains(numbers: Sequence[float], values: Sequence[float]) -> bool:
    """Return whether each value has a number of its own within 3 %."""
    left = list(numbers)
    for value in values:
        near = [number for number in left if abs(number / value - 1) < 0.03]
        if not near:
            return False
        left.remove(near[0])
    return True
