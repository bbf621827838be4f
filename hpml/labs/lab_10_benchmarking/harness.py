"""A statement and a clock for lab 10 that both belong to us: no time passes but what is said."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from typing import Any

AT_MOST = 100
"""Runs in one call of a student's function; then one that never ends is stopped."""

_runs: list[tuple[int, bool]] = []
_before: list[bool] = []
_readings = [0]
# What was run in this call, each with whether the collector was on; whether it was on before; and
# how often the clock was read.


def seconds_of(data: Mapping[str, Any], place: int, number: int) -> float:
    """Return how long the run at a place lasts."""
    wobble = data["wobble"][place % len(data["wobble"])]
    extra = data["first"] if place == 0 else 0.0
    return float(number * data["per_call"] * (1 + wobble) + extra)


def statement_and_clock(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments: a `run` and a `clock` that only `run` moves."""
    _runs.clear()
    _readings[0] = 0
    _before[:] = [bool(data.get("collector", True))]
    now = [data["start"]]

    def run(number: int) -> None:
        if len(_runs) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST} runs")
        if type(number) is not int or number < 1:
            raise ValueError(f"run expects a whole number of executions from 1, got {number!r}")
        if len(_runs) == data.get("fails"):
            raise ZeroDivisionError("the statement failed")
        _runs.append((number, gc.isenabled()))
        now[0] += seconds_of(data, len(_runs) - 1, number)

    def clock() -> float:
        _readings[0] += 1
        return float(now[0])

    return {"run": run, "clock": clock}


def value_and_runs(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return what `_through` found."""
    return result


def _through(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call with the collector as the case has it, and say what came and how it was left."""
    was = gc.isenabled()
    (gc.enable if _before[0] else gc.disable)()
    try:
        found: dict[str, Any] = {"value": function(**arguments)}
    except ZeroDivisionError as error:
        found = {"raised": str(error)}
    finally:
        left = gc.isenabled()
        (gc.enable if was else gc.disable)()
    found["numbers"] = [number for number, _ in _runs]
    found["readings"] = _readings[0]
    return {**found, "on": any(on for _, on in _runs), "changed": left != _before[0]}


value_and_runs.through = _through  # type: ignore[attr-defined]
