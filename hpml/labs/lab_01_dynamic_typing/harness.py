"""Numbers for the polynomial of lab 01: among them types that know nothing but plus and times."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

# Of the last call; beside the numbers and not on them, for they are in the student's hands.
_steps = {"+": 0, "*": 0}


class Duck:
    """A number that can be added to and multiplied with its own kind; both are counted."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __add__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        _steps["+"] += 1
        return type(self)(self.value + other.value)

    def __mul__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        _steps["*"] += 1
        return type(self)(self.value * other.value)

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
        duck = _DUCKS[kind]
        _steps.update({"+": 0, "*": 0})
        coefficients = [duck(value) for value in coefficients]
        x = duck(x)
    return {"coefficients": coefficients, "x": x}


def value_and_operations(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a number as plain data: a fraction or a duck says so, a duck with what was counted."""
    if type(result) is Fraction:
        return ("Fraction", result.numerator, result.denominator)
    if type(result) in _DUCKS.values():
        counted = {"additions": _steps["+"], "multiplications": _steps["*"]}
        return {type(result).__name__: result.value, **counted}
    return result
