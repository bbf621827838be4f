"""The same operations as loops in Python and C, and as calls of NumPy and torch.

A loop in Python takes whatever can be indexed: the very same function runs over a list, an array
and a tensor. That it can is dynamic typing; what it costs is lab 01.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LOOP = "for (long long i = 0; i < n; i++)"


def add_loop(a: Any, b: Any, out: Any) -> None:
    """Write the sums of `a` and `b` into `out`, one after the other."""
    for i in range(len(a)):
        out[i] = a[i] + b[i]


def multiply_loop(a: Any, b: Any, out: Any) -> None:
    """Write the products into `out`."""
    for i in range(len(a)):
        out[i] = a[i] * b[i]


def root_loop(a: Any, b: Any, out: Any) -> None:
    """Write the square roots of `a` into `out`."""
    for i in range(len(a)):
        out[i] = math.sqrt(a[i])


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
        c: the body of its loop in C, over ``a``, ``b``, ``out`` and ``n``.
        loop: the loop in Python, which Numba can compile as well.
        numpy: makes of the module and three arrays one vector call.
        torch: the same with tensors.
    """

    name: str
    c: str
    loop: Callable[[Any, Any, Any], None]
    numpy: Callable[..., Any]
    torch: Callable[..., Any]


OPERATIONS: dict[str, Operation] = {
    "a + b": Operation(
        "add",
        f"{_LOOP} out[i] = a[i] + b[i];",
        add_loop,
        lambda np, a, b, out: np.add(a, b, out=out),
        lambda torch, a, b, out: torch.add(a, b, out=out),
    ),
    "a * b": Operation(
        "multiply",
        f"{_LOOP} out[i] = a[i] * b[i];",
        multiply_loop,
        lambda np, a, b, out: np.multiply(a, b, out=out),
        lambda torch, a, b, out: torch.mul(a, b, out=out),
    ),
    "sqrt(a)": Operation(
        "root",
        f"{_LOOP} out[i] = sqrt(a[i]);",
        root_loop,
        lambda np, a, b, out: np.sqrt(a, out=out),
        lambda torch, a, b, out: torch.sqrt(a, out=out),
    ),
    "sum of a": Operation(
        "total",
        f"double sum = 0; {_LOOP} sum += a[i]; out[0] = sum;",
        total_loop,
        lambda np, a, b, out: np.add.reduce(a),
        lambda torch, a, b, out: torch.sum(a),
    ),
}
