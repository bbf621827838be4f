"""Measurements as a file of pyperf, the benchmark tool of CPython's developers.

Source: https://pyperf.readthedocs.io/en/latest/api.html#pyperf-json, format version 1.0.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hpml.base.files import write_atomically
from hpml.benchmark.errors import BenchmarkError

_VERSION = "1.0"

_NAMES = {
    "python": "python_version",
    "implementation": "python_implementation",
    "platform": "platform",
    "cpu": "cpu_model_name",
    "logical_cores": "cpu_count",
    "load_average": "load_avg_1min",
    "time_utc": "date",
    "hpml": "hpml_version",
}
"""pyperf's names for values of an environment record; the others are kept as ``hpml_NAME``."""


class AnyMeasurement(Protocol):
    """The parts of `hpml.benchmark.Measurement` that pyperf knows."""

    @property
    def number(self) -> int: ...
    @property
    def items(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def collector(self) -> bool: ...
    @property
    def environment(self) -> Mapping[str, str | int | float | None]: ...
    @property
    def by_process(self) -> tuple[tuple[float, ...], ...]: ...


def save_pyperf(
    path: str | os.PathLike[str], measurements: Sequence[AnyMeasurement], names: Sequence[str]
) -> Path:
    """Write measurements as benchmarks of these names; each process is one run of pyperf."""
    if Path(path).suffix.lower() != ".json":
        raise BenchmarkError(
            object="file name of a comparison",
            expected="one that ends in .json",
            received=repr(Path(path).name),
            remedy="Name the file NAME.json; `python -m pyperf show NAME.json` reads it.",
        )
    benchmarks = [
        {"metadata": _metadata(each, name), "runs": _runs(each)}
        for each, name in zip(measurements, names, strict=True)
    ]
    content = {"version": _VERSION, "metadata": {"unit": "second"}, "benchmarks": benchmarks}
    write_atomically(path, json.dumps(content, indent=1) + "\n")
    return Path(path)


def _metadata(measurement: AnyMeasurement, name: str) -> dict[str, Any]:
    if not name.strip() or name != name.strip():
        raise BenchmarkError(
            object="name of a benchmark",
            expected="text without spaces at its ends",
            received=repr(name),
            remedy="Name the contender otherwise; pyperf refuses such a name.",
        )
    found: dict[str, Any] = {"name": name, "loops": measurement.number}
    if measurement.items > 1:
        found["inner_loops"] = measurement.items
    for key, value in measurement.environment.items():
        if value is None:
            continue
        known = _NAMES.get(key, f"hpml_{key}")
        # pyperf reads a date without its time zone.
        found[known] = str(value).partition("+")[0] if key == "time_utc" else value
    return found | {
        "hpml_device": measurement.device,
        "hpml_threads": measurement.threads,
        "hpml_collector": "on" if measurement.collector else "off",
    }


def _runs(measurement: AnyMeasurement) -> list[dict[str, Any]]:
    return [{"values": list(group)} for group in measurement.by_process]
