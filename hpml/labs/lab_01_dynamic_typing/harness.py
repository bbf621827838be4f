"""Numbers for the polynomial of lab 01: among them types that know nothing but plus and times."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self


class Duck:
    """A number that can be added to and multiplied with its own kind, and counts both."""

    __slots__ = ("steps", "value")

    def __init__(self, value: int, steps: dict[str, int]) -> None:
        self.value = value
        self.steps = steps

    def __add__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        self.steps["+"] += 1
        return type(self)(self.value + other.value, self.steps)

    def __mul__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        self.steps["*"] += 1
        return type(self)(self.value * other.value, self.steps)

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of a {type(self).__name__} is not defined")

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"a {type(self).__name__} cannot be compared with ==")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"


class InPlaceDuck(Duck):
    """A duck for which ``+=`` and ``*=`` change the object itself, as they do for a tensor."""

    __slots__ = ()

    def __iadd__(self, other: object) -> Self:
        self.value = (self + other).value
        return self

    def __imul__(self, other: object) -> Self:
        self.value = (self * other).value
        return self


_DUCKS = {"duck": Duck, "in place": InPlaceDuck}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return coefficients and x of the kinds that `data` asks for."""
    kind = data["kind"]
    coefficients, x = list(data["coefficients"]), data["x"]
    if kind in ("fraction", "fractions"):
        x = Fraction(*x)
    if kind == "fractions":
        coefficients = [Fraction(*pair) for pair in coefficients]
    if kind in _DUCKS:
        duck, steps = _DUCKS[kind], {"+": 0, "*": 0}
        coefficients = [duck(value, steps) for value in coefficients]
        x = duck(x, steps)
    return {"coefficients": coefficients, "x": x}


def value_and_operations(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a number as plain data: a fraction or a duck says so, a duck with what was counted."""
    if type(result) is Fraction:
        return ("Fraction", result.numerator, result.denominator)
    if type(result) in _DUCKS.values():
        name, steps = type(result).__name__, arguments["x"].steps
        return {name: result.value, "additions": steps["+"], "multiplications": steps["*"]}
    return result
