"""The harness of lab 10: a statement and a fake clock, which only the statement advances."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

AT_MOST = 100
"""The largest number of runs in a call, which stops a function that never ends."""

# Of the current call:
_runs: list[tuple[int, bool]] = []  # the executions of each run, and whether the collector was on
_before = [True]  # whether the collector was on before
_judged = [False]  # whether the collector is part of what is judged
_readings = [0]  # the number of clock readings


def seconds_of(data: Mapping[str, Any], place: int, number: int) -> float:
    """Return the duration of the run at `place`."""
    wobble = data["wobble"][place % len(data["wobble"])]
    extra = data["first"] if place == 0 else 0.0
    return float(number * data["per_call"] * (1 + wobble) + extra)


def statement_and_clock(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a `run`, and a `clock` that only `run` advances."""
    _runs.clear()
    _readings[0] = 0
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
            raise ZeroDivisionError("the statement failed")
        _runs.append((int(number), gc.isenabled()))
        now[0] += seconds_of(data, len(_runs) - 1, number)

    def clock() -> float:
        _readings[0] += 1
        return float(now[0])

    return {"run": run, "clock": clock}


def value_and_runs(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the observations of `_through`."""
    return result


def _through(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function with the collector on or off, and return the result and the runs."""
    was = gc.isenabled()
    (gc.enable if _before[0] else gc.disable)()
    try:
        found: dict[str, Any] = {"result": function(**arguments)}
        found["more than two readings a run"] = _readings[0] > 2 * len(_runs)
    except ZeroDivisionError:
        found = {"result": "raises what run raised"}
    finally:
        left = gc.isenabled()
        (gc.enable if was else gc.disable)()
    found["runs"] = [number for number, _ in _runs]
    if _judged[0]:
        found["collector on during a run"] = any(on for _, on in _runs)
        found["collector changed"] = left != _before[0]
    return found


value_and_runs.through = _through  # type: ignore[attr-defined]
