"""A training in float16, simulated: a scaler is called step after step with what it made itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

LARGEST = 65504.0
"""The largest number of float16; what rounds to more is infinite."""

_true: list[list[float]] = []
# The gradients of each step before they are scaled: beside the arguments, which a student's
# function gets only for the step at hand. Empty where a single step is tried.


def scaled_gradients(true: list[float], scale: float) -> list[float]:
    """Return gradients times a scale, as far as float16 holds them."""
    return [math.copysign(math.inf, g) if abs(g * scale) > LARGEST else g * scale for g in true]


def first_step(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the first step: of the only one, or of a run."""
    _true[:] = data.get("true", [])
    scaled = scaled_gradients(_true[0], data["scale"]) if _true else list(data["scaled"])
    return {"scaled": scaled, **{name: data[name] for name in ("scale", "good", "interval")}}


def steps(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return what each step gave; a run ends at the first result that is no triple."""
    return result


def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> list[Any]:
    results = [function(**arguments)]
    *_, interval = arguments.values()  # under the student's names for them
    for true in _true[1:]:
        if not isinstance(results[-1], tuple | list) or len(results[-1]) != 3:
            break
        _, scale, good = results[-1]
        results.append(function(scaled_gradients(true, scale), scale, good, interval))
    return results


steps.through = _run  # type: ignore[attr-defined]
