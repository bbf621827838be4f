"""The same operations in Python, NumPy and torch, and every way to run one of them.

A loop here takes whatever can be indexed: the very same function runs over a list, an array and
a tensor. That it can is dynamic typing; what it costs is lab 01.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.errors import describe
from hpml.course.errors import LabError

if TYPE_CHECKING:
    from hpml.labs.lab_01_dynamic_typing.compiled import CompiledLoops

__all__ = ["OPERATIONS", "SLOW_LOOP", "Operation", "add_loop", "ways"]

SLOW_LOOP = 10_000
"""The largest size at which the loops over arrays and tensors are run: they take so long."""


def add_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sums of `a` and `b` into `out`, one after the other.

    >>> out = [0, 0, 0]
    >>> add_loop([1, 2.5, "a"], [10, 10, "b"], out)
    >>> out
    [11, 12.5, 'ab']
    """
    for i in range(len(a)):
        out[i] = a[i] + b[i]


def multiply_loop(a: Any, b: Any, out: Any) -> None:
    """Write the products into `out`."""
    for i in range(len(a)):
        out[i] = a[i] * b[i]


def root_loop(a: Any, b: Any, out: Any) -> None:
    """Write the square roots of `a` into `out`."""
    sqrt = math.sqrt
    for i in range(len(a)):
        out[i] = sqrt(a[i])


def total_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sum of `a` into the first place of `out`."""
    total = 0.0
    for i in range(len(a)):
        total = total + a[i]
    out[0] = total


@dataclass(frozen=True)
class Operation:
    """One operation in every form.

    Attributes:
        name: as it is called in C.
        loop: the loop in Python.
        numpy: makes of the module and three arrays one vector call.
        torch: the same with tensors.
    """

    name: str
    loop: Callable[[Any, Any, Any], None]
    numpy: Callable[..., Any]
    torch: Callable[..., Any]


OPERATIONS: dict[str, Operation] = {
    "a + b": Operation(
        "add",
        add_loop,
        lambda np, a, b, out: np.add(a, b, out=out),
        lambda torch, a, b, out: torch.add(a, b, out=out),
    ),
    "a * b": Operation(
        "multiply",
        multiply_loop,
        lambda np, a, b, out: np.multiply(a, b, out=out),
        lambda torch, a, b, out: torch.mul(a, b, out=out),
    ),
    "sqrt(a)": Operation(
        "root",
        root_loop,
        lambda np, a, b, out: np.sqrt(a, out=out),
        lambda torch, a, b, out: torch.sqrt(a, out=out),
    ),
    "sum of a": Operation(
        "total",
        total_loop,
        lambda np, a, b, out: np.add.reduce(a),
        lambda torch, a, b, out: torch.sum(a),
    ),
}
"""The operations of the lab's last picture, by what they are called there."""


def ways(
    operation: str, n: int, compiled: CompiledLoops, *, slow: bool | None = None
) -> dict[str, Callable[[], object]]:
    """Return every way to do an operation on `n` numbers, as calls without arguments.

    All of them write into room that is there already, so that none is charged for memory.

    Args:
        operation: one of `OPERATIONS`.
        n: how many numbers, 1 or more; float64 everywhere.
        compiled: the compiled loops.
        slow: whether the loops over array and tensor are among them; by default up to `SLOW_LOOP`.

    Raises:
        LabError: if there is no such operation.

    >>> from hpml.labs.lab_01_dynamic_typing.compiled import compiled_loops
    >>> list(ways("a + b", 3, compiled_loops("Numba")))  # doctest: +NORMALIZE_WHITESPACE
    ['loop over a tensor', 'loop over an array', 'loop over a list', 'torch call', 'NumPy call',
     'Numba loop']
    """
    import numpy as np
    import torch

    if operation not in OPERATIONS:
        raise LabError(f"Expected one of {', '.join(OPERATIONS)}, got {describe(operation)}.")
    forms = OPERATIONS[operation]
    generator = np.random.default_rng(1)
    arrays = [generator.random(n) + 0.5 for _ in range(2)] + [np.zeros(n)]
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    lists = [array.tolist() for array in arrays]
    found: dict[str, Callable[[], object]] = {}
    if slow if slow is not None else n <= SLOW_LOOP:
        found["loop over a tensor"] = functools.partial(forms.loop, *tensors)
        found["loop over an array"] = functools.partial(forms.loop, *[a.copy() for a in arrays])
    found["loop over a list"] = functools.partial(forms.loop, *lists)
    found["torch call"] = functools.partial(forms.torch, torch, *tensors)
    found["NumPy call"] = functools.partial(forms.numpy, np, *arrays)
    found[f"{compiled.language} loop"] = compiled.run(forms.name, *[a.copy() for a in arrays])
    return found
