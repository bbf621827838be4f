"""One function, many types: what comes out of it, and what does not go in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hpml.base.errors import describe
from hpml.base.tables import Table


def tried(function: Callable[[object], object], values: Mapping[str, object]) -> Table:
    """Call `function` with each value, and tell the type of what comes out, or the error.

    >>> print(tried(lambda x: x + x, {"an int": 3, "a str": "ab", "a set": {1}}))
    what    type of x  function(x)
    ------  ---------  -------------------------------------------------------------
    an int  int        int: 6
    a str   str        str: 'abab'
    a set   set        TypeError: unsupported operand type(s) for +: 'set' and 'set'
    """
    rows = []
    for name, value in values.items():
        try:
            result = function(value)
            shown = f"{type(result).__name__}: {_short(result)}"
        except Exception as error:  # noqa: BLE001 - whatever a type does when it is not the duck
            shown = f"{type(error).__name__}: {error}"
        rows.append([name, type(value).__name__, shown])
    name = getattr(function, "__name__", "function")
    return Table(["what", "type of x", f"{name if name.isidentifier() else 'function'}(x)"], rows)


class Written:
    """A number that computes nothing: it writes down what is done with it.

    >>> x = Written("x")
    >>> 3 * x * x + 2
    3 * x * x + 2
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: object) -> Written:
        return Written(f"{self.text} + {other}")

    def __radd__(self, other: object) -> Written:
        return Written(f"{other} + {self.text}")

    def __mul__(self, other: object) -> Written:
        return Written(f"{_factor(self)} * {_factor(other)}")

    def __rmul__(self, other: object) -> Written:
        return Written(f"{_factor(other)} * {_factor(self)}")

    def __repr__(self) -> str:
        return self.text


def _factor(value: object) -> str:
    text = str(value)
    return f"({text})" if isinstance(value, Written) and " + " in text else text


def _short(value: object) -> str:
    from hpml.symbolic.symbolic_data import SymbolicTensor

    if isinstance(value, SymbolicTensor):
        return repr(value)  # with the open batch as None, as lab 05 writes it
    if hasattr(value, "tolist") and getattr(value, "ndim", 2) < 2:
        return describe(value.tolist())
    return describe(value)
