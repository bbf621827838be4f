"""Results on disk: one line of JSON per finished case."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import append_line
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError, RecordError
from hpml.benchmark.measurement import Measurement

FORMAT = "hpml-benchmark"
VERSION = 1
BEGINS = f'{{"format": "{FORMAT}"'.encode()
"""The first bytes of every file of cases, see `_to_plain`."""

Parameters = Mapping[str, str | int | float | bool | None]
"""Plain values that identify a case within its suite, such as ``{"layers": 250}``."""

_MACHINE = ("python", "implementation", "cpu", "torch", "gpu", "device")
_COMPARISON = ("baseline", "asked_rounds", "seed", "resolution")
_MEASUREMENT = tuple(field.name for field in fields(Measurement) if field.name != "environment")


@dataclass(frozen=True)
class Case:
    """One finished case of a suite, identified within it by its parameters."""

    suite: str
    parameters: Parameters
    comparison: Comparison


@dataclass(frozen=True)
class Recorded:
    """The cases of a file, and a message for each damaged line."""

    cases: tuple[Case, ...]
    damaged: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)


def write_case(path: str | os.PathLike[str], case: Case) -> None:
    """Append one finished case to a file as a line of JSON, and flush it to disk.

    Args:
        path: the file; it is created if it is missing.
        case: the case to write.

    Raises:
        RecordError: if the case contains values that JSON cannot represent.
        OSError: if the file cannot be written.

    >>> import tempfile
    >>> from hpml.benchmark import measure
    >>> from hpml.benchmark.comparison import Comparison
    >>> one = measure(dict, samples=6, min_sample_time=1e-5)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "nothing.jsonl")
    ...     write_case(path, Case("nothing", {"size": 1}, Comparison((one,), "dict", 6)))
    ...     read_cases(path).cases[0].comparison["dict"].samples == one.samples
    True
    """
    try:
        line = json.dumps(_to_plain(case), allow_nan=False, ensure_ascii=False)
        # A line that cannot be read back would make the whole file unreadable.
        _from_plain(json.loads(line), "this case")
    except (TypeError, ValueError, RecordError) as error:
        raise RecordError(
            object=f"suite {describe(case.suite)}",
            expected="plain values as parameters",
            received=f"{describe(case.parameters)} ({str(error).rstrip('.')})",
            remedy="Use numbers, strings, booleans and None, and lists and dicts of them.",
        ) from error
    append_line(path, line)


def read_cases(path: str | os.PathLike[str]) -> Recorded:
    """Read the cases of a file that `write_case` wrote; skip and report incomplete lines.

    Args:
        path: the file.

    Returns:
        The cases, and a message for each line that is not JSON.

    Raises:
        RecordError: if the file is missing or not a file of cases, or if a complete line has
            another format or version.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise RecordError(
            object=str(path),
            expected="a file of recorded cases",
            received=f"{type(error).__name__}: {error.strerror}",
            remedy="Run the suite first, or name another file.",
        ) from error
    content = content.removeprefix(codecs.BOM_UTF8)  # some editors add it
    if not BEGINS.startswith(content[: len(BEGINS)]):
        raise RecordError(
            object=str(path),
            expected="a file of benchmark results",
            received=f"one that begins with {describe(content[: len(BEGINS)])}",
            remedy="Name another file.",
        )
    cases: list[Case] = []
    damaged: list[str] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"))
        except (
            ValueError,
            RecursionError,
        ):  # not UTF-8 or JSON, such as after an interrupted write
            damaged.append(
                f"{path}, line {number}: expected a line of JSON, received {describe(line)}; "
                "it was probably cut off by an interruption. It was skipped and stays in the file."
            )
            continue
        cases.append(_from_plain(value, f"{path}, line {number}"))
    return Recorded(tuple(cases), tuple(damaged))


def same_machine(case: Case, environment: Mapping[str, object]) -> bool:
    """Return whether a case was measured with this environment's processor, device and versions."""
    return all(
        measurement.environment.get(key) == environment.get(key)
        for measurement in case.comparison
        for key in _MACHINE
    )


def _to_plain(case: Case) -> dict[str, Any]:
    comparison = case.comparison
    # Contenders of one process have the same environment, so it is written once.
    environments: list[dict[str, Any]] = []
    measurements: list[dict[str, Any]] = []
    for measurement in comparison:
        environment = dict(measurement.environment)
        if environment not in environments:
            environments.append(environment)
        plain = {name: getattr(measurement, name) for name in _MEASUREMENT}
        measurements.append({**plain, "environment": environments.index(environment)})
    return {
        "format": FORMAT,
        "version": VERSION,
        "suite": case.suite,
        "parameters": dict(case.parameters),
        **{name: getattr(comparison, name) for name in _COMPARISON},
        "environments": environments,
        "measurements": measurements,
    }


def _from_plain(value: object, location: str) -> Case:
    if not isinstance(value, dict) or (value.get("format"), value.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise RecordError(
            object=location,
            expected=f"a case in version {VERSION} of the format {FORMAT!r}",
            received=describe(value),
            remedy="Read it with the hpml that wrote it, or name another file.",
        )
    try:
        environments = [dict(environment) for environment in value["environments"]]
        measurements = tuple(_measurement(plain, environments) for plain in value["measurements"])
        comparison = Comparison(measurements, **{name: value[name] for name in _COMPARISON})
        return Case(value["suite"], dict(value["parameters"]), comparison)
    except (
        LookupError,
        ArithmeticError,
        TypeError,
        ValueError,
        AttributeError,
        BenchmarkError,
    ) as error:
        raise RecordError(
            object=location,
            expected="a complete case",
            received=f"{type(error).__name__}: {str(error).rstrip('.')}",
            remedy="Remove the line, which was edited or written by another program, and run that "
            "case again.",
        ) from error


def _measurement(
    plain: Mapping[str, Any], environments: Sequence[Mapping[str, Any]]
) -> Measurement:
    # Missing in older records.
    optional = ("items", "first", "changed", "collector", "collecting", "processes")
    values = {name: plain[name] for name in _MEASUREMENT if name in plain or name not in optional}
    values["samples"] = tuple(values["samples"])
    return Measurement(**values, environment=environments[plain["environment"]])
