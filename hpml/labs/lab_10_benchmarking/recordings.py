"""Samples that were really taken, see ``record``: read from ``data/recorded`` as plain values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from hpml.base.files import data_file

NAMES = ("outliers", "quiet", "equal", "drift", "wander", "modes")


@dataclass(frozen=True)
class Recording:
    """Microseconds a call of two programs, in turns; b does `truth` times the work of a."""

    name: str
    about: str
    truth: float
    a: tuple[float, ...]
    b: tuple[float, ...]
    machine: Mapping[str, str | int | float | None]
    command: str

    @property
    def where(self) -> str:
        """Machine and versions in one line."""
        m = self.machine
        return f"{m['cpu']}, {m['logical_cores']} cores, {m['platform']}, Python {m['python']}"


@cache
def recording(name: str) -> Recording:
    """Return a recording, by the name of its situation.

    >>> quiet = recording("quiet")
    >>> quiet.truth, len(quiet.a) == len(quiet.b)
    (1.1, True)
    """
    data = json.loads(data_file(f"recorded/noise_{name}.json").read_text(encoding="utf-8"))
    given = {key: data[key] for key in ("about", "truth", "machine", "command")}
    return Recording(name, a=tuple(data["a"]), b=tuple(data["b"]), **given)
