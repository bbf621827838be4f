"""What lab 06 measures with and a cell cannot hold: counted calls, a forced interruption.

Times differ from machine to machine and from minute to minute; calls do not. Python's own profiling
hook counts them. And a thread is interrupted where it pleases the system; here, where it pleases
the lab.
"""

from __future__ import annotations

import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import FrameType
from typing import Any, TypeVar

from torch import nn

from hpml.base import Table
from hpml.base.files import published
from hpml.base.page import Page, show_code
from hpml.base.tables import format_multiple
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record import Case
from hpml.benchmark.robust import median, median_interval
from hpml.course.errors import LabError

__all__ = [
    "CallCounts",
    "Pause",
    "beside_published",
    "change",
    "deepest",
    "extra_per_node",
    "folded_source",
    "in_words",
    "interrupted",
    "profile_calls",
]

Given = TypeVar("Given")
Made = TypeVar("Made")

PATIENCE = 60.0
"""Seconds a held thread waits at most, so that a mistake ends in a message and not in silence."""


def deepest(run: Callable[[int], object], at_most: int = 200_000) -> int:
    """Return the largest n for which ``run(n)`` stays within Python's recursion limit.

    Args:
        run: recurses deeper for larger n.
        at_most: where to stop looking; returned if ``run`` never meets the limit.

    >>> def down(n):
    ...     return n and down(n - 1)
    >>> sys.getrecursionlimit() - 500 < deepest(down) < sys.getrecursionlimit()
    True
    """
    good, bad = 0, at_most + 1
    step = 64
    while bad - good > 1:
        middle = min(good + step, (good + bad) // 2)
        try:
            run(middle)
        except RecursionError:
            bad = middle
        else:
            # Doubling from below: what is far too deep takes longest to fail.
            good, step = middle, 2 * step
    return good


# --- counting Python's calls ---


@dataclass(frozen=True)
class CallCounts:
    """The function calls of one run, counted by Python itself.

    Attributes:
        python: calls of functions written in Python, by (module, function).
        builtin: calls of built-in functions, by (module that called, function).
    """

    python: Mapping[tuple[str, str], int]
    builtin: Mapping[tuple[str, str], int]

    def of(self, package: str) -> int:
        """Return the calls of Python functions of a package, such as ``"torch"``."""
        return sum(
            count
            for (module, _), count in self.python.items()
            if module == package or module.startswith(f"{package}.")
        )

    @property
    def total(self) -> int:
        """All calls of functions written in Python."""
        return sum(self.python.values())

    def table(self, per: int = 1, package: str = "") -> Table:
        """Return the calls of Python functions, the most frequent first.

        Args:
            per: what to divide the counts by, such as the number of layers.
            package: only functions of this package.
        """
        found = sorted(self.python.items(), key=lambda item: -item[1])
        rows = [
            [function, module, count, count / per]
            for (module, function), count in found
            if module.startswith(package) and 2 * count >= per
        ]
        formats = {"calls": "{:,}".format, "calls a layer": "{:.1f}".format}
        return Table(["function", "module", "calls", "calls a layer"], rows, formats=formats)


def profile_calls(run: Callable[[], object]) -> CallCounts:
    """Run once and count every function call, by Python's own profiling hook.

    The hook slows the run down and changes nothing else; the hook that was set before is set again.

    Source: https://docs.python.org/3/library/sys.html#sys.setprofile

    >>> def twice():
    ...     return len([]) + len([])
    >>> counts = profile_calls(twice)
    >>> counts.total, sum(counts.builtin.values())
    (1, 2)
    """
    python: Counter[tuple[str, str]] = Counter()
    builtin: Counter[tuple[str, str]] = Counter()

    def hook(frame: FrameType, event: str, argument: Any) -> None:
        module = str(frame.f_globals.get("__name__", "?"))
        if event == "call":
            # The last part: "make_run.<locals>.run.<locals>.<listcomp>" reads badly in a table.
            python[module, frame.f_code.co_qualname.rpartition("<locals>.")[2]] += 1
        elif event == "c_call" and argument is not sys.setprofile:
            builtin[module, argument.__name__] += 1

    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(before)
    return CallCounts(dict(python), dict(builtin))


# --- two callers at once ---


class Pause(nn.Module):
    """A layer that hands on its input; `interrupted` can hold one caller inside it."""

    def __init__(self) -> None:
        super().__init__()
        self._hold: Callable[[], None] | None = None

    def forward(self, x: Any) -> Any:
        """Return ``x``, whatever it is."""
        hold, self._hold = self._hold, None
        if hold is not None:
            hold()
        return x


def interrupted(
    forward: Callable[[Given], Made], pause: Pause, first: Given, second: Given
) -> tuple[Made, Made]:
    """Run ``forward`` for two callers, the second in the middle of the first.

    A thread runs ``forward(first)`` until it is inside of `pause` and is held there. Then
    ``forward(second)`` runs from beginning to end. Then the first goes on. Threads are interrupted
    like this anyway, now and then and anywhere; here it happens every time, at one place.

    Returns:
        What the first and the second caller got.

    Raises:
        LabError: ``forward(first)`` never reached `pause`.

    >>> pause = Pause()
    >>> interrupted(lambda x: pause(x) + 1, pause, 10, 20)
    (11, 21)
    """
    stopped, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        stopped.set()
        if not go_on.wait(PATIENCE):
            raise LabError(f"the second caller did not finish within {PATIENCE:.0f} s")

    pause._hold = hold
    with ThreadPoolExecutor(1) as threads:
        held = threads.submit(forward, first)
        held.add_done_callback(lambda _: stopped.set())
        try:
            stopped.wait(PATIENCE)
            if held.done():
                held.result()
                raise LabError(
                    "interrupted expected a forward that calls the pause layer, received one that "
                    "returned without; put the layer between two others"
                )
            result = forward(second)
        finally:
            pause._hold = None
            go_on.set()
        return held.result(), result


# --- reading comparisons ---


def in_words(comparison: Comparison, name: str, baseline: str | None = None) -> str:
    """Return one sentence on two contenders, which claims no more than the samples support.

    >>> from hpml.benchmark import Measurement
    >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (2e-3,) * 6, 9))
    >>> in_words(Comparison(pair, "a", 6), "b")
    '**b** takes 2.00 times as long as a (95 % interval 2.00 to 2.00).'
    """
    against = baseline or comparison.baseline
    ratio = comparison.ratio(name, against)
    span = f"95 % interval {_times(ratio.low)} to {_times(ratio.high)}"
    if ratio.answer == "cannot tell":
        return f"Between **{name}** and {against} this measurement **cannot tell** ({span})."
    return f"**{name}** takes {_times(ratio.value)} times as long as {against} ({span})."


def _times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else format_multiple(ratio)


def extra_per_node(
    comparison: Comparison, slow: str, fast: str, nodes: int
) -> tuple[float, float, float]:
    """Return what ``slow`` takes longer than ``fast``, in seconds per node: low, middle, high.

    The middle is the median over the rounds of the difference within the round; low and high are
    its 95 % interval.

    >>> from hpml.benchmark import Measurement
    >>> pair = (Measurement("a", (1e-3,) * 6, 9), Measurement("b", (3e-3,) * 6, 9))
    >>> extra_per_node(Comparison(pair, "a", 6), "b", "a", nodes=10)
    (0.0002, 0.0002, 0.0002)
    """
    pairs = zip(comparison[slow].samples, comparison[fast].samples, strict=True)
    each = [(a - b) / nodes for a, b in pairs]
    low, high = median_interval(each)
    return low, median(each), high


def change(
    before: tuple[float, float, float], after: tuple[float, float, float], factor: float = 1.5
) -> str:
    """Return whether a quantity "grows", "shrinks", "stays" or "is uncertain".

    Args:
        before, after: low end, middle and high end of the interval in which it lies.
        factor: it stays if it certainly does not change by as much as this, and it grows or
            shrinks if the intervals do not even touch.

    >>> change((0.9, 1.0, 1.1), (0.8, 1.0, 1.2)), change((0.9, 1.0, 1.1), (1.8, 2.0, 2.2))
    ('stays', 'grows')
    >>> change((0.9, 1.0, 1.1), (0.5, 1.0, 3.0))
    'is uncertain'
    """
    if before[1] / factor < after[0] and after[2] < before[1] * factor:
        return "stays"
    if after[0] > before[2]:
        return "grows"
    if after[2] < before[0]:
        return "shrinks"
    return "is uncertain"


PUBLISHED_AS = {"vanilla": "handwritten", "sequential": "sequential", "symbolic": "codegen"}
"""What the published table calls a contender, and what it is called here."""


def beside_published(cases: Iterable[Case]) -> Table:
    """Return the published deep linear figures beside measured ones, as ratios to hand-written.

    Args:
        cases: of the suite ``deep-linear``.

    Returns:
        One row a contender and depth. What was never published has no published ratio.
    """
    block = published("deep_linear_cpu")
    middle = {(row["definition"], row["n_layers"]): row["quartiles"][1] for row in block["rows"]}
    names = {here: there for there, here in PUBLISHED_AS.items()}
    rows: list[list[object]] = []
    for case in cases:
        depth = case.parameters["layers"]
        for name in case.comparison.names:
            if name == case.comparison.baseline:
                continue
            figure = middle.get((names.get(name), depth))
            ratio = case.comparison.ratio(name)
            # Published is throughput, here it is time.
            theirs = None if figure is None else middle["vanilla", depth] / figure
            rows.append([depth, name, theirs, ratio.value, ratio.answer])
    return Table(
        ["layers", "contender", "published", "this machine", "compared with hand-written"],
        rows,
        title="Time as a multiple of the hand-written module's",
        caption=f"Published: {block['hardware']}; {block['source']}; its model generated code.",
        formats={"published": "{:.3f}".format, "this machine": "{:.3f}".format},
    )


# --- reading code ---


def folded_source(source: str, summary: str) -> Page:
    """Return Python source that opens when the reader asks for it.

    >>> print(folded_source("x = 1", "The source"))
    The source
        x = 1
    """
    # Remarks to the type checker tell a reader nothing.
    source = re.sub(r"  # type: ignore\[[\w, -]+\]", "", source)
    return show_code(source, summary, folded=True)
