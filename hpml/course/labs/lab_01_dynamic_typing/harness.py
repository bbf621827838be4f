"""Numbers for the polynomial of lab 01: types with + and * only, and ints that count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self


@dataclass
class _Call:
    """What happens in one call; not in attributes of the numbers, which the student can change."""

    multiplications: int = 0
    tried: list[str] = field(default_factory=list)
    """What the call tried with a duck besides + and * of its own type, even if it caught that."""
    values: dict[int, int] = field(default_factory=dict)
    """The value of each duck by its identity: a duck has no attribute to read."""


_call = _Call()  # the current one


def _refuses(what: str) -> Any:
    """Return an operator that only notes that it was tried."""

    def refuse(self: object, *others: object) -> Any:
        _call.tried.append(what)
        return NotImplemented

    return refuse


class Duck:
    """A number that supports only + and * with its own type; multiplications are counted."""

    __slots__ = ()

    def __init__(self, value: int) -> None:
        _call.values[id(self)] = value

    def __add__(self, other: object) -> Self:
        if type(other) is not type(self):
            return self.__radd__(other)  # type: ignore[no-any-return]
        return type(self)(_call.values[id(self)] + _call.values[id(other)])

    def __mul__(self, other: object) -> Self:
        if type(other) is not type(self):
            return self.__rmul__(other)  # type: ignore[no-any-return]
        _call.multiplications += 1
        return type(self)(_call.values[id(self)] * _call.values[id(other)])

    __radd__ = _refuses("+ with another type")
    __rmul__ = _refuses("* with another type")
    __pow__ = __rpow__ = _refuses("**")
    __sub__ = __rsub__ = _refuses("-")
    __truediv__ = __floordiv__ = __mod__ = _refuses("a division")

    def __bool__(self) -> bool:
        _call.tried.append("a truth value")
        raise TypeError(f"the truth value of a {type(self).__name__} is not defined")

    def __eq__(self, other: object) -> bool:
        _call.tried.append("==")
        raise TypeError(f"a {type(self).__name__} cannot be compared with ==")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_call.values[id(self)]})"


class InPlaceDuck(Duck):
    """A duck whose ``+=`` and ``*=`` change the object in place, as a tensor's do."""

    __slots__ = ()

    def __iadd__(self, other: object) -> Self:
        _call.values[id(self)] = _call.values[id(self + other)]
        return self

    def __imul__(self, other: object) -> Self:
        _call.values[id(self)] = _call.values[id(self * other)]
        return self


class CountingInt(int):
    """An int that counts its multiplications; a power takes as many as its exponent."""

    def __add__(self, other: Any) -> CountingInt:
        return CountingInt(int(self) + int(other))

    def __mul__(self, other: Any) -> CountingInt:
        _call.multiplications += 1
        return CountingInt(int(self) * int(other))

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        _call.multiplications += max(0, int(other) - 1)
        return CountingInt(int(self) ** int(other))

    __radd__, __rmul__ = __add__, __mul__


_DUCKS: dict[str, type[Duck]] = {"duck": Duck, "in place": InPlaceDuck}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the coefficients and x as numbers of the kind in `data`."""
    global _call
    kind = data["kind"]
    _call = _Call()
    coefficients, x = list(data["coefficients"]), data["x"]
    if kind in ("fraction", "fractions"):
        x = Fraction(*x)
    if kind == "fractions":
        coefficients = [Fraction(*pair) for pair in coefficients]
    if duck := _DUCKS.get(kind):
        coefficients, x = [duck(value) for value in coefficients], duck(x)
    if kind == "counting":
        coefficients, x = [CountingInt(value) for value in coefficients], CountingInt(x)
    return {"coefficients": coefficients, "x": x}


def value_and_multiplications(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result as plain data that names a fraction or a duck, and the multiplications."""
    value = result
    if type(result) is Fraction:
        value = {"Fraction": str(result)}
    if type(result) in _DUCKS.values():
        value = {type(result).__name__: _call.values[id(result)]}
    if type(result) is CountingInt:
        value = {"CountingInt": int(result)}
    return {
        "value": value,
        "multiplications": _call.multiplications,
        "tried": list(dict.fromkeys(_call.tried)),
    }
