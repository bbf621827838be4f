"""The harness of lab 12: a simulated float16 training, which feeds a scaler its own results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from hpml.course.sandbox.harness import called_through

LARGEST = 65504.0
"""The largest number of float16; larger ones are infinite."""

# The unscaled gradients of each step of a run; empty if the case is a single step.
_true: list[list[float]] = []


def scaled_gradients(true: list[float], scale: float) -> list[float]:
    """Return gradients times a scale, infinite beyond float16's range."""
    return [math.copysign(math.inf, g) if abs(g * scale) > LARGEST else g * scale for g in true]


def first_step(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the only step, or of the first step of a run."""
    _true[:] = data.get("true", [])
    scaled = scaled_gradients(_true[0], data["scale"]) if _true else list(data["scaled"])
    return {"scaled": scaled, **{name: data[name] for name in ("scale", "good", "interval")}}


def _run(function: Callable[..., Any], arguments: dict[str, Any]) -> list[Any]:
    results = [function(**arguments)]
    *_, interval = arguments.values()  # the names of the parameters may vary
    for true in _true[1:]:
        if not isinstance(results[-1], tuple | list) or len(results[-1]) != 3:
            break
        _, scale, good = results[-1]
        results.append(function(scaled_gradients(true, scale), scale, good, interval))
    return results


@called_through(_run)
def steps(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the results of all steps; a run ends at the first that is not a triple."""
    return result
