"""What the exercises of lab 04 are called with, and whether Numba compiled what was called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

LAYOUTS: Mapping[str, str] = {
    "rows": "{}",
    "columns": "np.asfortranarray({})",
    "transposed": "{}.T",
    "backwards": "{}[::-1, ::-1]",
    "every second": "np.repeat(np.repeat({}, 2, 0), 2, 1)[::2, ::2]",
    "read-only": "np.broadcast_to({0}, {0}.shape)",
}
"""Ways to lay the same numbers out, as they are written."""


def array(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an array of two axes, laid out as `data` says."""
    import numpy as np

    x = np.array(data["numbers"], dtype=data["dtype"]).reshape(data["shape"])
    return {data["name"]: eval(LAYOUTS[data["layout"]].format("x"), {"np": np, "x": x})}


_compiled = [False]


def _noted(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call a function, and note whether it has machine code by Numba then."""
    result = function(**arguments)
    _compiled[0] = bool(getattr(function, "nopython_signatures", ()))
    return result


def result_and_compiled(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and whether Numba compiled the function that was called."""
    return {"result": result, "compiled": _compiled[0]}


# What is observed of a call sees its result only, not the function.
result_and_compiled.through = _noted  # type: ignore[attr-defined]
