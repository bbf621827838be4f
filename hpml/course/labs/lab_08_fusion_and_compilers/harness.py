"""The harness of lab 08: matrices to multiply, and branches to compile."""

from __future__ import annotations

import copy
import dis
import inspect
import random
import warnings
from collections.abc import Mapping
from types import CodeType
from typing import Any

from hpml.course.sandbox.harness import called_through


def matrices(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return two float32 matrices, row by row in memory, and one to write to, which has no numbers.

    Large ones, for measuring time, come from a seed, so that they need not be sent.
    """
    import numpy as np

    _case.clear()
    _case.update(data)
    n, d, m = data["shape"]
    if "seed" in data:
        x, y = timed_matrices(data)
    else:
        x, y = (np.array(data[name], np.float32) for name in "xy")
        x, y = x.reshape(n, d), y.reshape(d, m)
    return {"x": x, "y": y, "out": np.full((n, m), np.nan, np.float32)}


_case: dict[str, Any] = {}  # the data of the current case, and whether Numba compiled its function


def timed_matrices(data: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return two matrices of small whole numbers, whose sums are exact in any order."""
    import numpy as np

    n, d, m = data["shape"]
    whole = np.random.default_rng(data["seed"]).integers
    return whole(-3, 4, (n, d)).astype(np.float32), whole(-3, 4, (d, m)).astype(np.float32)


def rows_shown(data: Mapping[str, Any]) -> list[int]:
    """Return the rows of a large result that are sent: all would take longer than the product."""
    chosen = random.Random(data["seed"])
    return [chosen.randrange(data["shape"][0]) for _ in range(8)]


def _tried(function: Any, arguments: dict[str, Any]) -> None:
    """Call a function of Numba without compiling it, and compiled too if the case says so.

    Uncompiled, an index outside an array is an error; compiled, it may end the process.
    """
    from numba.core.dispatcher import Dispatcher

    compiled = isinstance(function, Dispatcher)
    plain = function.py_func if compiled else function
    _case["by Numba"], _case["@"] = compiled, _multiplies_matrices(plain)
    if not (compiled and _case["compiled"]):
        plain(**arguments)
        return
    plain(**copy.deepcopy(arguments))
    function(**arguments)
    _case["by Numba"] = bool(function.nopython_signatures)


def _multiplies_matrices(function: Any) -> bool:
    """Return whether a function or one that it calls has the operator @."""
    waiting, seen = [function], set[int]()
    while waiting:
        each = waiting.pop()
        each = getattr(each, "py_func", each)
        code = getattr(each, "__code__", None)
        if not isinstance(code, CodeType) or id(code) in seen:
            continue
        seen.add(id(code))
        if any(step.argrepr in ("@", "@=") for step in dis.get_instructions(code)):
            return True
        waiting += [each.__globals__[name] for name in code.co_names if name in each.__globals__]
        waiting += inspect.getclosurevars(each).nonlocals.values()
    return False


@called_through(_tried)
def written_to_out(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was written, which operands were changed, and whether Numba compiled it."""
    import numpy as np

    x, y, out = arguments.values()  # the names of the parameters may vary
    if "seed" in _case:
        return {"changed": [], "out": out[rows_shown(_case)]}
    before = (np.array(_case[name], np.float32) for name in "xy")
    same = [np.array_equal(now.ravel(), old) for now, old in zip((x, y), before, strict=True)]
    changed = [name for name, kept in zip("xy", same, strict=True) if not kept]
    return {
        "changed": changed,
        "out": out,
        "compiled": _case["by Numba"],
        "operator @": _case["@"],
    }


def branches(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test and the two branches it chooses between, compiled from their texts."""
    _branch.update(data)
    return {name: eval(f"lambda x: {data[name]}", {}) for name in ("test", "yes", "no")}


_branch: dict[str, Any] = {}


def in_one_graph(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the results of a function, which must compile to one graph if the case says so."""
    import torch

    if not callable(result):
        return {"result": type(result).__name__}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        if _branch["compiled"]:
            torch.compiler.reset()
            # The graph runs as it is, since making machine code takes long.
            result = torch.compile(result, fullgraph=True, backend="eager")
        found = [result(torch.tensor(numbers)) for numbers in _branch["inputs"]]
    return [each.tolist() if torch.is_tensor(each) else repr(each) for each in found]
