"""The harness of lab 10: a statement and a fake clock, which it alone advances; many duels."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any

from hpml.course.sandbox.harness import called_through

AT_MOST = 100
"""The largest number of runs in a call, which stops a function that never ends."""

# Of the current call:
_runs: list[tuple[int, bool]] = []  # the executions of each run, and whether the collector was on
_before = [True]  # whether the collector was on before
_judged = [False]  # whether the collector is part of what is judged
# How often the clock was read before the first run, and after each
_readings = [0]
_duels: list[Sequence[Sequence[float]]] = []  # the further duels of a case


class _InterruptedError(KeyboardInterrupt):
    """What a case raises in `run`; unlike a student's own interrupt, the harness catches it."""


class _EndedError(SystemExit):
    """The same for the end of the program."""


_ERRORS: dict[str, type[BaseException]] = {
    "raises": ZeroDivisionError, "is interrupted": _InterruptedError, "ends": _EndedError,
}  # fmt: skip


def seconds_of(data: Mapping[str, Any], place: int, number: int) -> float:
    """Return the duration of the run at `place`."""
    wobble = data["wobble"][place % len(data["wobble"])]
    extra = data["first"] if place == 0 else 0.0
    return float(number * data["per_call"] * (1 + wobble) + extra)


def statement_and_clock(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a `run`, and a `clock` that only `run` advances."""
    _runs.clear()
    _readings[:] = [0]
    _judged[0] = "collector" in data
    _before[0] = bool(data.get("collector", True))
    now = [data["start"]]

    def run(number: int) -> None:
        if len(_runs) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST} runs")
        if not isinstance(number, Integral) or number < 1:
            raise ValueError(
                f"run: expected a whole number of executions from 1, received {number!r}"
            )
        if len(_runs) == data.get("fails"):
            raise _ERRORS[data["by"]]("the statement failed")
        _runs.append((int(number), gc.isenabled()))
        _readings.append(0)
        now[0] += seconds_of(data, len(_runs) - 1, number)

    def clock() -> float:
        _readings[-1] += 1
        return float(now[0])

    given = {"number": data["number"]} if "number" in data else {}
    return {"run": run, "clock": clock, **given}


def _through(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function with the collector on or off, and return the result and the runs."""
    was = gc.isenabled()
    (gc.enable if _before[0] else gc.disable)()
    try:
        found: dict[str, Any] = {"result": function(**arguments)}
        found["needless readings of the clock"] = _needless_readings()
    except tuple(_ERRORS.values()):
        found = {"result": "raises what run raised", "needless readings of the clock": 0}
    finally:
        left = gc.isenabled()
        (gc.enable if was else gc.disable)()
    found["runs"] = [number for number, _ in _runs]
    if _judged[0]:
        found["collector on during a run"] = any(on for _, on in _runs)
        found["collector changed"] = left != _before[0]
    return found


@called_through(_through)
def value_and_runs(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the observations of `_through`."""
    return result


def _needless_readings() -> int:
    """Return how often the clock was read in addition to once before and once after each run."""
    first, *between = _readings
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
