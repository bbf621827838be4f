"""The harness of lab 10: a statement and a fake clock, which it alone advances; many duels."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from hpml.course.sandbox.harness import called_through

AT_MOST = 100
"""The largest number of runs in a call, which stops a function that never ends."""


@dataclass
class _Call:
    """What happens in one call."""

    now: float  # of the fake clock
    collector: bool  # whether the collector is on before the call
    collector_is_judged: bool
    runs: list[tuple[int, bool]] = field(default_factory=list)
    """The executions of each run, and whether the collector was on."""
    readings: list[int] = field(default_factory=lambda: [0])
    """How often the clock was read before the first run, and after each."""


_call: _Call  # the current one
_duels: list[Sequence[Sequence[float]]] = []  # the further duels of a case


class _InterruptedError(KeyboardInterrupt):
    """What a case raises in `run`; unlike a student's own interrupt, the harness catches it."""


class _EndedError(SystemExit):
    """The same for the end of the program."""


_ERRORS: dict[str, type[BaseException]] = {
    "raises": ZeroDivisionError,
    "is interrupted": _InterruptedError,
    "ends": _EndedError,
}


def seconds_of(data: Mapping[str, Any], place: int, number: int) -> float:
    """Return the duration of the run at `place`."""
    wobble = data["wobble"][place % len(data["wobble"])]
    extra = data["first"] if place == 0 else 0.0
    return float(number * data["per_call"] * (1 + wobble) + extra)


def statement_and_clock(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a `run`, and a `clock` that only `run` advances."""
    global _call
    call = _call = _Call(data["start"], bool(data.get("collector", True)), "collector" in data)

    def run(number: int) -> None:
        if len(call.runs) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST} runs")
        if not isinstance(number, Integral) or number < 1:
            raise ValueError(
                f"run: expected a whole number of executions from 1, received {number!r}"
            )
        if len(call.runs) == data.get("fails"):
            raise _ERRORS[data["by"]]("the statement failed")
        call.runs.append((int(number), gc.isenabled()))
        call.readings.append(0)
        call.now += seconds_of(data, len(call.runs) - 1, number)

    def clock() -> float:
        call.readings[-1] += 1
        return float(call.now)

    given = {"number": data["number"]} if "number" in data else {}
    return {"run": run, "clock": clock, **given}


def _through(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function with the collector on or off, and return the result and the runs."""
    call, was = _call, gc.isenabled()
    (gc.enable if call.collector else gc.disable)()
    try:
        found: dict[str, Any] = {"result": function(**arguments)}
        found["needless readings of the clock"] = _needless_readings(call.readings)
    except tuple(_ERRORS.values()):
        found = {"result": "raises what run raised", "needless readings of the clock": 0}
    finally:
        left = gc.isenabled()
        (gc.enable if was else gc.disable)()
    found["runs"] = [number for number, _ in call.runs]
    if call.collector_is_judged:
        found["collector on during a run"] = any(on for _, on in call.runs)
        found["collector changed"] = left != call.collector
    return found


@called_through(_through)
def value_and_runs(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the observations of `_through`."""
    return result


def _needless_readings(readings: Sequence[int]) -> int:
    """Return how often the clock was read in addition to once before and once after each run."""
    first, *between = readings
    last = between.pop() if between else 0
    return sum(max(0, n - most) for n, most in [(first, 1), (last, 1), *((n, 2) for n in between)])


def duel(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the times of a case's first duel."""
    _duels[:] = data.get("others", [])
    return {"a": list(data["a"]), "b": list(data["b"])}


def _all_duels(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    found = function(**arguments)
    if not _duels:
        return found
    return [found, *(function(list(a), list(b)) for a, b in _duels)]


@called_through(_all_duels)
def verdicts(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the verdict, or a list of all verdicts if the case has several duels."""
    return result
