"""What the exercises of lab 04 are called with, and whether Numba compiled what was called."""

from __future__ import annotations

from collections.abc import Mapping
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
    """Return an array, laid out as `data` says."""
    import numpy as np

    x = np.array(data["numbers"], dtype=data["dtype"]).reshape(data["shape"])
    return {data["name"]: eval(LAYOUTS[data["layout"]].format("x"), {"np": np, "x": x})}


_compiled: list[str] = []  # the name of the function that Numba compiled, if it did


def _noted(function: Any, arguments: dict[str, Any]) -> Any:
    """Call a function, and note whether it has machine code by Numba then."""
    from numba.core.dispatcher import Dispatcher

    result = function(**arguments)
    machine_code = isinstance(function, Dispatcher) and function.nopython_signatures
    _compiled[:] = [function.py_func.__name__] if machine_code else []
    return result


def result_and_compiled(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and the name of the function that Numba compiled for the call."""
    return {"result": result, "compiled": "".join(_compiled)}


# What is observed of a call sees its result only, not the function.
result_and_compiled.through = _noted  # type: ignore[attr-defined]
