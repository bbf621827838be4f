"""Results on disk: one line of JSON for each finished case, written when the case is finished."""

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
"""Every file of cases; see `_to_plain`."""

Parameters = Mapping[str, str | int | float | bool | None]
"""What tells one case of a suite from another, such as ``{"layers": 250}``; plain values."""

_MACHINE = ("python", "implementation", "cpu", "torch", "gpu", "device")
_COMPARISON = ("baseline", "asked_rounds", "seed", "resolution")
_MEASUREMENT = tuple(field.name for field in fields(Measurement) if field.name != "environment")


@dataclass(frozen=True)
class Case:
    """One finished case of a suite.

    Attributes:
        suite: the name of the suite.
        parameters: what tells this case from the suite's others.
        comparison: the measurements.
    """

    suite: str
    parameters: Parameters
    comparison: Comparison


@dataclass(frozen=True)
class Recorded:
    """What a file of cases holds."""

    cases: tuple[Case, ...]
    damaged: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)


def write_case(path: str | os.PathLike[str], case: Case) -> None:
    """Append one finished case to a file, as a line of JSON that has reached the disk.

    Args:
        path: the file, made if it is missing.
        case: what to write.

    Raises:
        RecordError: if the case holds values that JSON cannot carry.
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
        # One line that cannot be read would cost the whole file.
        _from_plain(json.loads(line), "this case")
    except (TypeError, ValueError, RecordError) as error:
        raise RecordError(
            f"A case of suite {describe(case.suite)} expects plain values in its parameters, "
            f"got {describe(case.parameters)}: {error}"
        ) from error
    append_line(path, line)


def read_cases(path: str | os.PathLike[str]) -> Recorded:
    """Read the cases of a file; a line that was cut off is reported, not raised.

    Args:
        path: a file that `write_case` wrote.

    Returns:
        The cases, and a sentence for each line that is no JSON.

    Raises:
        RecordError: if there is no such file, it begins otherwise, or a line is whole but of
            another format or version, so that the file is not what the caller takes it for.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise RecordError(
            f"{path}: expected a file of recorded cases, got {type(error).__name__}: "
            f"{error.strerror}; run the suite first, or name another file."
        ) from error
    content = content.removeprefix(codecs.BOM_UTF8)  # an editor put it there
    if not BEGINS.startswith(content[: len(BEGINS)]):
        raise RecordError(
            f"{path}: expected a file of benchmark results, got one that begins with "
            f"{describe(content[: len(BEGINS)])}; name another file."
        )
    cases: list[Case] = []
    damaged: list[str] = []
    for place, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):  # no UTF-8 or no JSON, as where a write was cut off
            damaged.append(
                f"{path}, line {place}: expected a line of JSON, got {describe(line)}; "
                "it was probably cut off by an interruption. It is kept and skipped."
            )
            continue
        cases.append(_from_plain(value, f"{path}, line {place}"))
    return Recorded(tuple(cases), tuple(damaged))


def same_machine(case: Case, environment: Mapping[str, object]) -> bool:
    """Return whether a case was measured on this environment's processor, device and versions."""
    return all(
        measurement.environment.get(key) == environment.get(key)
        for measurement in case.comparison
        for key in _MACHINE
    )


def _to_plain(case: Case) -> dict[str, Any]:
    comparison = case.comparison
    # Contenders of one process share their environment: it is written once.
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


def _from_plain(value: object, where: str) -> Case:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(
            f"{where}: expected a case in the format {FORMAT!r}, got {describe(value)}; "
            "this is not a file of benchmark results."
        )
    if value.get("version") != VERSION:
        raise RecordError(
            f"{where}: expected version {VERSION} of the format, got "
            f"{describe(value.get('version'))}; read it with the hpml that wrote it, "
            "or measure again into another file."
        )
    try:
        environments, parameters = value["environments"], value["parameters"]
        if not isinstance(parameters, dict) or not isinstance(value["suite"], str):
            raise TypeError(
                f"parameters {describe(parameters)} of suite {describe(value['suite'])}"
            )
        measurements = tuple(_measurement(plain, environments) for plain in value["measurements"])
        comparison = Comparison(measurements, **{name: value[name] for name in _COMPARISON})
        return Case(value["suite"], parameters, comparison)
    except (KeyError, TypeError, IndexError, AttributeError, BenchmarkError) as error:
        raise RecordError(
            f"{where}: expected a complete case, got one with {type(error).__name__}: {error}; "
            "the line was edited, or something else wrote it."
        ) from error


def _measurement(
    plain: Mapping[str, Any], environments: Sequence[Mapping[str, Any]]
) -> Measurement:
    # Older records have none of these.
    since = ("items", "first")
    values = {name: plain[name] for name in _MEASUREMENT if name in plain or name not in since}
    values["samples"] = tuple(values["samples"])
    environment = environments[plain["environment"]]
    if not isinstance(environment, dict):
        raise TypeError(f"environment {describe(environment)}")
    return Measurement(**values, environment=environment)
