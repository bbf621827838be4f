"""The harness of lab 04: builds arrays, and observes whether Numba compiled the function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpml.course.sandbox.harness import called_through

LAYOUTS: Mapping[str, str] = {
    "rows": "{}",
    "columns": "np.asfortranarray({})",
    "transposed": "{}.T",
    "backwards": "{}[::-1, ::-1]",
    "every second": "np.repeat(np.repeat({}, 2, 0), 2, 1)[::2, ::2]",
    "first axis backwards": "{}[::-1]",
    "every second of the first axis": "np.repeat({}, 2, 0)[::2]",
    "read-only": "np.asarray(memoryview({}).toreadonly())",
}
"""Memory layouts of the same numbers, as source text."""


def array(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an array with the numbers, shape, type and layout in `data`."""
    import numpy as np

    x = np.array(data["numbers"], dtype=data["dtype"]).reshape(data["shape"])
    return {data["name"]: eval(LAYOUTS[data["layout"]].format("x"), {"np": np, "x": x})}


_compiled: list[str] = []  # the called function and those that it calls, if Numba compiled them


def _noted(function: Any, arguments: dict[str, Any]) -> Any:
    from numba.core.dispatcher import Dispatcher

    result = function(**arguments)
    machine_code = isinstance(function, Dispatcher) and function.nopython_signatures
    _compiled.clear()
    if machine_code:
        code, names = function.py_func.__code__, function.py_func.__globals__
        called = [names[name] for name in code.co_names if isinstance(names.get(name), Dispatcher)]
        _compiled.extend(each.py_func.__name__ for each in (function, *called))
    return result


# An observer sees only the result of a call, not the function.
@called_through(_noted)
def result_and_compiled(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result, and the names of the functions that Numba compiled for the call."""
    return {"result": result, "compiled": list(_compiled)}
