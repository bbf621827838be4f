"""Numbers for the polynomial of lab 01, among them types that support only + and *."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

# Of the last call; not an attribute of the numbers, which the student's code can change.
_multiplications = [0]


class Duck:
    """A number that supports only + and * with its own type; multiplications are counted."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __add__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        return type(self)(self.value + other.value)

    def __mul__(self, other: object) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        _multiplications[0] += 1
        return type(self)(self.value * other.value)

    def __bool__(self) -> bool:
        raise TypeError(f"the truth value of a {type(self).__name__} is not defined")

    def __eq__(self, other: object) -> bool:
        raise TypeError(f"a {type(self).__name__} cannot be compared with ==")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"


class InPlaceDuck(Duck):
    """A duck whose ``+=`` and ``*=`` change the object in place, as a tensor's do."""

    __slots__ = ()

    def __iadd__(self, other: object) -> Self:
        self.value = (self + other).value
        return self

    def __imul__(self, other: object) -> Self:
        self.value = (self * other).value
        return self


_DUCKS: dict[str, type[Duck]] = {"duck": Duck, "in place": InPlaceDuck}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the coefficients and x as numbers of the kind in `data`."""
    kind = data["kind"]
    _multiplications[0] = 0
    coefficients, x = list(data["coefficients"]), data["x"]
    if kind in ("fraction", "fractions"):
        x = Fraction(*x)
    if kind == "fractions":
        coefficients = [Fraction(*pair) for pair in coefficients]
    if duck := _DUCKS.get(kind):
        coefficients, x = [duck(value) for value in coefficients], duck(x)
    return {"coefficients": coefficients, "x": x}


def value_and_multiplications(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result as plain data that names a fraction or a duck, and the multiplications."""
    value = result
    if type(result) is Fraction:
        value = {"Fraction": str(result)}
    if type(result) in _DUCKS.values():
        value = {type(result).__name__: result.value}
    return {"value": value, "multiplications": _multiplications[0]}
