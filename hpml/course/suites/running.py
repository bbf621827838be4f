"""Run the cases of a suite: skip those on disk, measure the others, write each when finished."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpml.base.environment import Value, environment_record
from hpml.base.tables import Shown, Table
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.saved.record import Case, read_cases, same_machine, write_case
from hpml.benchmark.tables import cases_table
from hpml.course.suites.settings import Settings


@dataclass(frozen=True)
class CasesResult(Shown):
    """The results of a suite, case by case."""

    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()

    def _tables(self, title: str, *more: Table) -> list[Table]:
        """Return the table of all cases, then more tables, then the notes."""
        measured = cases_table(self.cases, title=f"{title} ({environment_line(self.cases)})")
        return [measured, *more, *self._notes()]

    def _notes(self) -> list[Table]:
        return [Table(["notes"], [[note] for note in self.notes])] if self.notes else []


def run_together(
    suite: str,
    parameter: str,
    values: Sequence[int],
    contenders_at: Callable[[Any, int], Mapping[str, Callable[[], object]]],
    settings: Settings,
    *,
    grad: bool,
    **more: Any,
) -> CasesResult:
    """Measure all cases in the same rounds, unless all are on disk; their times are comparable.

    `contenders_at` returns the contenders for the settings and a value of the parameter.
    """
    make = functools.partial(contenders_at, settings)

    @functools.cache
    def compared() -> Mapping[int, Comparison]:
        import torch

        with torch.set_grad_enabled(grad):
            return settings.compare_sizes(make, dict.fromkeys(values), suite, **more)

    return run_cases(suite, parameter, values, lambda v: compared()[v], settings, together=True)


def run_cases(
    suite: str,
    parameter: str,
    values: Sequence[int],
    measure: Callable[[int], Comparison],
    settings: Settings,
    *,
    together: bool = False,
    **more: Value,
) -> CasesResult:
    """Measure a case for each value of a parameter, unless it is on disk.

    With `together` all are measured if one is missing. `more` are parameters that the results
    depend on besides the settings.
    """
    out = None if settings.out is None else Path(settings.out)
    notes: list[str] = []
    reusable: list[Case] = []
    if out is not None and out.exists():
        recorded = read_cases(out)
        if settings.resume:
            notes += recorded.damaged
            reusable, foreign = _reusable(suite, recorded.cases)
            if foreign:
                notes.append(
                    f"{out}: {foreign} cases were measured on another machine or with other "
                    "versions; they stay in the file and are measured again."
                )
    cases: list[Case] = []
    asked = {v: {**settings.parameters(), **more, parameter: v} for v in values}
    done = {v: next((c for c in reusable if dict(c.parameters) == asked[v]), None) for v in asked}
    for value, parameters in asked.items():
        case = None if together and None in done.values() else done[value]
        if case is None:
            case = Case(suite, parameters, measure(value))
            if out is not None:
                try:
                    write_case(out, case)
                except OSError as error:
                    # Show the result anyway; the next case may fit on the disk.
                    notes.append(
                        f"{out}: case {len(cases) + 1} could not be written "
                        f"({error.strerror or error}); it is only shown here."
                    )
        cases.append(case)
    return CasesResult(tuple(cases), tuple(notes))


def environment_line(cases: Sequence[Case]) -> str:
    """Return one line on the machine and versions of the cases, for captions and titles."""
    if not cases:
        return ""
    measurement = cases[0].comparison.measurements[0]
    record: Mapping[str, object] = measurement.environment
    machine = record.get("gpu") if measurement.device != "cpu" else record.get("cpu")
    if machine == measurement.device.partition(":")[0]:  # a GPU without a name: that of its chip
        machine = f"{record.get('cpu')}, {machine}"
    threads = f"{measurement.threads} thread{'s' if measurement.threads > 1 else ''}"
    rounded = "; float32 with TF32 in convolutions" * bool(record.get("tf32_convolutions"))
    versions = f"Python {record.get('python')}, PyTorch {record.get('torch')}"
    return f"{machine}, {threads}; {versions}{rounded}"


def _reusable(suite: str, cases: Sequence[Case]) -> tuple[list[Case], int]:
    """Return the suite's complete cases of this machine, the newest first, and count the others."""
    complete = [c for c in reversed(cases) if c.suite == suite and c.comparison.complete]
    devices = {case.comparison.measurements[0].device for case in complete}
    # A device's record names its GPU, so that two cards of one machine are not mixed.
    here = {device: environment_record(device=device) for device in devices}
    reusable = [
        case
        for case in complete
        if same_machine(case, here[case.comparison.measurements[0].device])
    ]
    return reusable, len(complete) - len(reusable)
