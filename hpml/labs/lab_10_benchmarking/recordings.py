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
    """Two programs measured in turns while something was done to the machine.

    Attributes:
        name: of the situation.
        about: what was done.
        truth: how much work b does, as a multiple of a's.
        a: microseconds a call, sample by sample.
        b: the same, of b, from the same rounds.
        machine: what it was recorded on.
        command: which makes such recordings on this machine.
    """

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
    a, b = tuple(data["a"]), tuple(data["b"])
    about, truth, command = data["about"], data["truth"], data["command"]
    return Recording(name, about, truth, a, b, data["machine"], command)
