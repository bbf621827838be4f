"""Running the cases of a suite: skip those on disk, measure the rest, write each when finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpml.base.environment import environment_record
from hpml.base.tables import Shown, Table
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record import Case, Parameters, read_cases, same_machine, write_case
from hpml.suites.settings import Settings

IN_MEMORY = Settings()


@dataclass(frozen=True)
class CasesResult(Shown):
    """What a suite measured, case by case."""

    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()


def run_cases(
    suite: str,
    parameters: Sequence[Parameters],
    measure_case: Callable[[Parameters], Comparison],
    settings: Settings = IN_MEMORY,
) -> CasesResult:
    """Measure each case that is not on disk yet.

    Args:
        suite: the suite's name.
        parameters: one mapping a case, holding everything that its result depends on.
        measure_case: measures one case.
        settings: ``out`` is the file that finished cases are appended to; None keeps them in memory
            only. ``resume`` skips the cases that it holds if they are complete and were measured on
            a machine like this one.

    Raises:
        RecordError: if what is there is not a file of benchmark results.

    >>> run_cases("nothing", [], lambda parameters: None).cases
    ()
    """
    out = None if settings.out is None else Path(settings.out)
    notes: list[str] = []
    known: list[Case] = []
    if out is not None and out.exists():
        recorded = read_cases(out)
        if settings.resume:
            notes += recorded.damaged
            known, foreign = _usable(suite, recorded.cases)
            if foreign:
                notes.append(
                    f"{out}: {foreign} cases were measured on another machine or with other "
                    "versions; they stay in the file and are measured again."
                )
    cases: list[Case] = []
    for place, case_parameters in enumerate(parameters):
        if case_parameters in parameters[:place]:
            continue  # asked for twice
        found = next((c for c in known if dict(c.parameters) == dict(case_parameters)), None)
        if found is None:
            found = Case(suite, case_parameters, measure_case(case_parameters))
            if out is not None:
                try:
                    write_case(out, found)
                except OSError as error:
                    # What was measured is shown all the same, and the next case may fit.
                    notes.append(
                        f"{out}: case {len(cases) + 1} could not be written "
                        f"({error.strerror or error}); it is only shown here."
                    )
        cases.append(found)
    return CasesResult(tuple(cases), tuple(notes))


def environment_line(cases: Sequence[Case]) -> str:
    """Return one line on what the cases were measured on, for captions and under tables."""
    if not cases:
        return ""
    measurement = cases[0].comparison.measurements[0]
    record: Mapping[str, object] = measurement.environment
    machine = record.get("gpu") if measurement.device.startswith("cuda") else record.get("cpu")
    threads = f"{measurement.threads} thread{'s' if measurement.threads > 1 else ''}"
    return f"{machine}, {threads}; Python {record.get('python')}, PyTorch {record.get('torch')}"


def notes_table(notes: Sequence[str]) -> list[Table]:
    """Return a table of what the reader should know; none where there is nothing."""
    return [Table(["notes"], [[note] for note in notes])] if notes else []


def _usable(suite: str, cases: Sequence[Case]) -> tuple[list[Case], int]:
    """Return the complete cases of this machine, the newest first, and how many are foreign."""
    here = environment_record()
    mine = [case for case in reversed(cases) if case.suite == suite and case.comparison.complete]
    usable = []
    for case in mine:
        device = case.comparison.measurements[0].device
        if same_machine(case, {**here, "device": device}):
            usable.append(case)
    return usable, len(mine) - len(usable)
