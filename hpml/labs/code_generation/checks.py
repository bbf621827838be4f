"""Running generated source, and saying what the visible cases make of an exercise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.labs.errors import LabError

__all__ = ["check", "function_of", "run_source"]


def run_source(
    text: str, layers: Sequence[Callable[..., Any]], *inputs: Any
) -> tuple[Any, list[int]]:
    """Run generated source, and return its result and the positions of the layers it called.

    Args:
        text: of a function ``forward`` that finds its layers in ``self._execution_order_layers``.
        layers: what it may call.
        *inputs: what it is given.

    Raises:
        LabError: if the text defines no function of that name.

    >>> run_source("def forward(self, x): return self._execution_order_layers[0](x)", [abs], -3)
    (3, [0])
    """
    called: list[int] = []

    def noted(position: int, layer: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            called.append(position)
            return layer(*arguments)

        return run

    watched = [noted(position, layer) for position, layer in enumerate(layers)]
    return function_of(text)(SimpleNamespace(_execution_order_layers=watched), *inputs), called


def function_of(text: str) -> Callable[..., Any]:
    """Return the function that generated source defines.

    Raises:
        LabError: if it defines none.
    """
    scope: dict[str, Any] = {}
    exec(text, scope)
    found = [value for value in scope.values() if isinstance(value, FunctionType)]
    if not found:
        raise LabError("The text defines no function; its first line is `def forward(self, ...):`.")
    return found[0]


def check(cases: Mapping[str, tuple[Callable[[], Any], Any]]) -> Table:
    """Say for each case whether it came out right; what is unfinished or fails is no error here.

    Args:
        cases: from what the case is about to how it is run and what is expected.

    >>> print(check({"two": (lambda: 1 + 1, 2), "three": (lambda: None, 3)}))
    case   what the check says
    -----  ----------------------------------
    two    Right.
    three  Not done yet: it returned nothing.
    """
    return Table(
        ["case", "what the check says"],
        [[case, _told(run, expected)] for case, (run, expected) in cases.items()],
    )


def _told(run: Callable[[], Any], expected: Any) -> str:
    try:
        got = run()
    except Exception as error:  # noqa: BLE001 - whatever a student's lines raise is an answer
        return f"Not there yet: it raised {type(error).__name__}: {error}"
    if got is None:
        return "Not done yet: it returned nothing."
    close = isinstance(expected, float) and isinstance(got, (int, float))
    if got == expected or (close and math.isclose(got, expected, rel_tol=1e-9)):
        return "Right."
    return f"Not there yet: got {describe(got, 80)}, expected {describe(expected, 80)}."
