"""What a benchmark panel knows: what can be chosen, what was measured, and how far a run is."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hpml.base.environment import quick
from hpml.base.errors import describe
from hpml.base.files import results_folder
from hpml.benchmark.record import Case
from hpml.widgets.benchmark_panel.run import Message, Order, Run
from hpml.widgets.errors import WidgetError

ROUNDS = (7, 15, 25, 50)


class BenchmarkPanel:
    """A suite's choices and results.

    Attributes:
        suite, sizes, contenders: as above.
        parameter: what the suite calls its sizes, such as "layers".
        baseline: the contender that is always measured, or None.
        missing: sentences about contenders that cannot be measured here.
        cases: what was measured, see `latest`.
        status: in words, what the cases are and what is going on.
        run: the run that is going on, or None.
        fraction: how far it is, from 0 to 1.
    """

    def __init__(
        self,
        suite: str,
        sizes: Sequence[int] | None = None,
        contenders: Sequence[str] | None = None,
        cases: Iterable[Case] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        from hpml.suites import SUITES
        from hpml.suites.choosing import choose
        from hpml.suites.settings import option_names

        if suite not in SUITES:
            raise WidgetError(
                f"benchmark_panel expects the name of a suite, {', '.join(SUITES)}, got "
                f"{describe(suite)}."
            )
        module = importlib.import_module(SUITES[suite][0])
        if not hasattr(module, "names"):
            raise WidgetError(
                f"benchmark_panel expects a suite with contenders, got {describe(suite)}, which "
                f"simulates; run it in a terminal: hpml bench {suite}."
            )
        arguments = inspect.signature(module.run).parameters
        first = next(iter(arguments.values()))
        self.suite, self.parameter = suite, first.name
        self.options = dict(options or {})
        self._check_options([name for name in option_names(module.run) if name not in _OURS])
        self.sizes = _sizes(first.default if sizes is None else sizes)
        known = _all_names(module.names)
        self.missing: tuple[str, ...] = ()
        if contenders is None:
            self.contenders, self.missing = choose(None, module.names())
        else:
            self.contenders = _some("contenders", contenders, known)
        base = getattr(module, "BASELINE", None)
        self.baseline: str | None = base if base in self.contenders else None
        before = tuple(cases)
        _check_cases(suite, before)
        self.cases = latest(before)
        self.run: Run | None = None
        self.fraction = 0.0
        self.status = (
            f"Measured before: {self._counted(self.cases)}."
            if self.cases
            else "Nothing measured yet. Choose contenders and sizes, then Run."
        )
        self._stopping = False
        self._before, self._done = self.cases, 0

    @property
    def rounds(self) -> int:
        """The number of rounds to begin with."""
        return ROUNDS[0] if quick() else ROUNDS[2]

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not stopped yet."""
        return self.run is not None and self._stopping

    @property
    def standing(self) -> str:
        """What the page says: the status, and while a run goes on only what does not pass."""
        if self.run is None:
            return self.status
        return f"Measuring; {self._done} of {len(self.run.order.sizes)} sizes are done."

    def start(self, contenders: Sequence[str], sizes: Sequence[int], rounds: int) -> Run:
        """Begin to measure; what was measured before stays, until its size is measured again."""
        if self.run is not None:
            raise WidgetError("A run is going on; cancel it, or wait until it is done.")
        chosen = _some("contenders", [*contenders, *filter(None, [self.baseline])], self.contenders)
        places = _some("sizes", sizes, self.sizes)
        if not isinstance(rounds, int) or rounds < 1:
            raise WidgetError(
                f"rounds: expected a whole number of at least 1, got {describe(rounds)}."
            )
        order = Order(self.suite, places, chosen, rounds, _new_file(self.suite), self.options)
        self.fraction, self._stopping = 0.0, False
        self._before, self._done = self.cases, 0
        self.status = "Starting a process of its own for the measurement."
        self.run = Run(order)
        return self.run

    def take(self, message: Message) -> bool:
        """Take in what the run said; return whether there is something new to draw.

        After a message "case" the run waits for ``run.go()``.
        """
        run = self._running()
        order = run.order
        if message.kind in ("case", "round"):
            done = message.case * (order.rounds + 1) + message.rounds
            self.fraction = done / (len(order.sizes) * (order.rounds + 1))
            if not self._stopping:
                self.status = self._at(order, message)
            if message.kind == "round":
                return False
            self._take_cases(run.cases)
            return True
        kept = run.cases
        self._take_cases(kept)
        self.run = None
        run.close()
        where = f" Recorded in {order.out.parent.name}/{order.out.name}." if kept else ""
        if message.kind == "failed":
            self.status = f"Failed: {message.text} Kept: {self._counted(kept)}.{where}"
        elif message.stopped:
            self.status = f"Cancelled. Kept: {self._counted(kept)}.{where}"
        else:
            self.fraction = 1.0
            self.status = f"Done: {self._counted(kept)}.{where} {message.text}".rstrip()
        earlier = [case for case in self.cases if case not in kept]
        if earlier:
            self.status += f" From earlier runs: {self._counted(earlier)}."
        return True

    def cancel(self) -> None:
        """Ask the run to end after the round in flight; asked a second time, end it now."""
        run = self._running()
        if self._stopping:
            run.kill()
            return
        self._stopping = True
        self.status = "Stopping after the round in flight; Cancel once more ends it at once."
        run.stop()

    def _running(self) -> Run:
        if self.run is None:
            raise WidgetError("No run is going on; start one first.")
        return self.run

    def _take_cases(self, new: Sequence[Case]) -> None:
        self._done = len(new)
        self.cases = latest([*self._before, *new])

    def _at(self, order: Order, message: Message) -> str:
        place = f"{self.parameter} {order.sizes[message.case]:,}"
        count = f"case {message.case + 1} of {len(order.sizes)}"
        if message.kind == "case":
            return f"{place} ({count}): building, comparing results, warming up."
        return f"{place} ({count}): round {message.rounds + 1} of {order.rounds}."

    def _counted(self, cases: Sequence[Case]) -> str:
        if not cases:
            return "nothing, no round was complete"
        parts = []
        for case in cases:
            rounds, asked = case.comparison.rounds, case.comparison.asked_rounds
            size = _size(case)
            few = "" if case.comparison.complete else f" of {asked:,}"
            parts.append(f"{size:,} ({rounds:,}{few} rounds)")
        return f"{self.parameter} {', '.join(parts)}"

    def _check_options(self, known: Sequence[str]) -> None:
        unknown = [name for name in self.options if name not in known]
        if unknown:
            raise WidgetError(
                f"options of the suite {self.suite}: expected some of {', '.join(known)}, got "
                f"{', '.join(unknown)}."
            )


_OURS = frozenset({"contenders", "rounds", "out", "resume", "progress", "stop"})


def _all_names(names: Any) -> tuple[str, ...]:
    """Return the contenders of a suite with all that run only on request."""
    known: tuple[str, ...] = names(**dict.fromkeys(inspect.signature(names).parameters, True))
    return known


def _sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    good = isinstance(sizes, (list, tuple, range)) and len(sizes) > 0
    if not good or not all(type(size) is int and size > 0 for size in sizes):
        raise WidgetError(
            f"sizes: expected one or more whole numbers of at least 1, got {describe(sizes)}."
        )
    return tuple(sorted(set(sizes)))


def latest(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return the cases by size, of each contender only the latest at each size.

    An older case of the same size keeps whoever was not measured again, with the baseline, since
    a ratio holds only within its own rounds; it stands before the newer one.
    """
    newest_first = list(cases)[::-1]
    seen: dict[int, set[str]] = {}
    kept = []
    for case in newest_first:
        comparison = case.comparison
        if comparison.baseline != newest_first[0].comparison.baseline:
            continue
        again = seen.setdefault(_size(case), set())
        left = [m for m in comparison if m.name not in again or m.name == comparison.baseline]
        if all(m.name in again for m in left):
            continue
        again.update(comparison.names)
        fewer = replace(comparison, measurements=tuple(left))
        kept.append(case if len(left) == len(comparison) else replace(case, comparison=fewer))
    kept.reverse()
    return tuple(sorted(kept, key=_size))


def _size(case: Case) -> int:
    return int(next(iter(case.parameters.values())) or 0)


def _some(what: str, wanted: Sequence[Any], known: Sequence[Any]) -> tuple[Any, ...]:
    """Return what is wanted in the order in which it is known."""
    unknown = [str(item) for item in wanted if item not in known]
    if isinstance(wanted, str) or unknown or not wanted:
        raise WidgetError(
            f"{what}: expected one or more of {', '.join(map(str, known))}, got "
            f"{wanted if isinstance(wanted, str) else ', '.join(unknown) or 'none'}."
        )
    return tuple(item for item in known if item in wanted)


def _check_cases(suite: str, cases: Sequence[Case]) -> None:
    wrong = [case for case in cases if not isinstance(case, Case) or case.suite != suite]
    if wrong:
        raise WidgetError(
            f"cases: expected those of the suite {suite}, such as the cases of what its run "
            f"returned, got {describe(wrong[0])}."
        )


def _new_file(suite: str) -> Path:
    """Return a file that does not exist yet, so that a run never mixes with an older one."""
    stem = f"panel-{suite}-{datetime.now(tz=UTC):%Y%m%dT%H%M%S}"
    names = (f"{stem}{f'-{n}' if n else ''}.jsonl" for n in range(1000))
    return next(path for name in names if not (path := results_folder() / name).exists())
