"""Short text of any value, for the steps of a trace."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any

from hpml.bytecode.null import NULL
from hpml.bytecode.object_state import States
from hpml.bytecode.plain_attributes import in_class, name_of

LIMIT = 60
"""Default limit of characters."""

BUDGET = 2.0
"""Seconds that the methods ``__repr__`` and ``__str__`` of a class may take in total."""

_ITEMS = 6
_LEVELS = 3
_LARGE = 10**56
_LONGEST = 4 * LIMIT
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("{", "}"),
    dict: ("{", "}"),
}


@dataclass(slots=True, eq=False)
class _Kept:
    """The text of an object, the state that it shows, and the moment when it was right."""

    state: tuple[object, ...] | None
    text: str
    moment: int


class Texts:
    """Short texts of values; the texts of objects are kept while the objects do not change.

    The ``__repr__`` of an object runs code of the program, which may be slow or change something.
    It is called once per object and state (see `States`), and not any more after the methods of a
    class took longer than `budget` seconds; then the text is ``<Name not shown>``.
    """

    def __init__(
        self, budget: float = BUDGET, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._budget = budget
        self._clock = clock
        self._states = States()
        self._spent: dict[int, float] = {}
        self._kept: dict[tuple[int, str], _Kept] = {}
        self._moment = 0

    def look_again(self) -> None:
        """Let objects have changed since the last texts."""
        self._moment += 1

    def short(self, value: object, limit: int = LIMIT) -> str:
        """Return one line for `value`, of at most `limit` characters."""
        kind = type(value)
        if value is None or kind is bool or kind is float:
            return repr(value)
        return _cut(self._text(value, _LEVELS, limit), limit)

    def message(self, error: BaseException) -> str:
        """Return the text of an exception; empty if its ``__str__`` raises."""
        return self._called(error, type(error), "message", str, "")

    def _text(self, value: Any, levels: int, limit: int) -> str:
        kind = type(value)
        if kind is int:
            is_long = not -_LARGE < value < _LARGE
            return f"<int of {value.bit_length()} bits>" if is_long else repr(value)
        if kind is str or kind is bytes or kind is bytearray:
            start = repr(value[: max(limit - 5, 1)])
            # Cut inside the quotes, to keep a closing quote.
            return (
                start if len(value) <= max(limit - 5, 1) else f"{start[: limit - 4]}...{start[-1]}"
            )
        if kind in _BRACKETS:
            return self._container(value, kind, levels, limit)
        if kind is CellType:
            return self._cell(value, levels, limit)
        named = _NAMED.get(kind)
        if named is not None:
            text: str = named(value)
            return text
        if issubclass(kind, type):
            return f"<class {name_of(value)}>"
        number = _number(value, kind)
        if number is not None:
            return number
        if in_class(kind, "__repr__") is object.__repr__ and not _is_array(kind):
            return f"<{name_of(kind)} object>"
        return self._called(value, kind, "text", _instance, f"<{name_of(kind)} object>")

    def _container(self, value: Any, kind: type, levels: int, limit: int) -> str:
        opening, closing = _BRACKETS[kind]
        if not value:
            return repr(value)
        if levels == 0:
            return f"{opening}...{closing}"
        try:
            first = list(islice(value.items() if kind is dict else value, _ITEMS))
        except RuntimeError:  # changed by another thread meanwhile
            return f"<{kind.__name__} of {len(value)}>"
        if kind is dict:
            parts = [
                f"{self._text(key, levels - 1, limit)}: {self._text(item, levels - 1, limit)}"
                for key, item in first
            ]
        else:
            parts = [self._text(item, levels - 1, limit) for item in first]
        if len(value) > len(first):
            parts.append("...")
        inside = ", ".join(parts) + ("," if kind is tuple and len(value) == 1 else "")
        text = f"{opening}{inside}{closing}"
        return f"frozenset({text})" if kind is frozenset else text

    def _cell(self, value: CellType, levels: int, limit: int) -> str:
        # The namespace of a class body can contain a cell that contains the namespace.
        try:
            inside = self._text(value.cell_contents, levels - 1, limit) if levels else "..."
        except ValueError:
            inside = "empty"
        return f"<cell: {inside}>"

    def _called(
        self, value: Any, kind: type, purpose: str, function: Callable[[Any], str], failed: str
    ) -> str:
        """Return ``function(value)``, which runs code of the program, or the text kept from it."""
        key = id(value), purpose
        kept = self._kept.get(key)
        if kept is not None:
            if kept.moment == self._moment:
                return kept.text
            if kept.state is not None and kept.state == self._states.of(value):
                kept.moment = self._moment
                return kept.text
        if self._spent.get(id(kind), 0.0) > self._budget:
            return f"<{name_of(kind)} not shown>"
        begun = self._clock()
        try:
            text = function(value)[:_LONGEST]
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a method of the program raises
            text = failed
        self._spent[id(kind)] = self._spent.get(id(kind), 0.0) + self._clock() - begun
        # The state after the call, which may itself change the object.
        is_large = kept is not None and kept.state is None
        state = None if is_large else self._states.of(value)
        self._kept[key] = _Kept(state, text, self._moment)
        return text


def short(value: object, limit: int = LIMIT) -> str:
    """Return one line for `value`, of at most `limit` characters."""
    return Texts().short(value, limit)


def _cut(text: str, limit: int) -> str:
    if "\n" in text or "\r" in text:
        text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _number(value: Any, kind: type) -> str | None:
    """Return the text of a NumPy scalar, or of an array or CPU tensor without dimensions."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")  # without importing them
    try:
        # The class of a NumPy scalar may be the program's.
        if _is_class(numpy, "generic", kind) and in_class(kind, "__module__") is NULL:
            return repr(value)
        if kind is getattr(numpy, "ndarray", None) and value.shape == ():
            return None if value.dtype.kind == "O" else f"array({value.item()!r})"
        if _is_class(torch, "Tensor", kind) and value.dim() == 0 and value.device.type == "cpu":
            name = name_of(kind)
            return f"{'tensor' if name == 'Tensor' else name}({value.item()!r})"
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a tensor that stands for others (`vmap`) has no number
        return None
    return None


def _is_class(module: object, name: str, kind: type) -> bool:
    found = getattr(module, name, None)
    return isinstance(found, type) and issubclass(kind, found)


def _is_array(kind: type) -> bool:
    return in_class(kind, "shape") is not NULL and in_class(kind, "dtype") is not NULL


def _instance(value: Any) -> str:
    """Return the text of an object whose class has no rule of its own."""
    kind = type(value)
    name = name_of(kind)
    if _is_array(kind):
        numpy, shape = sys.modules.get("numpy"), tuple(value.shape)
        of_numpy = _is_class(numpy, "ndarray", kind) or _is_class(numpy, "generic", kind)
        # A masked number, for example.
        return repr(value) if of_numpy and not shape else f"<{name} {shape} {value.dtype}>"
    for base in _COLLECTIONS:
        if issubclass(kind, base) and base.__len__(value) > _LONG:
            return f"<{name} of {base.__len__(value)}>"
    return repr(value)


# The repr of a subclass may write all items, so long ones are shown by their length.
_COLLECTIONS: tuple[Any, ...] = (list, tuple, dict, set, frozenset, str, bytes, bytearray)
_LONG = 100

_NAMED: dict[type, Any] = {
    FunctionType: lambda value: f"<function {value.__name__}>",
    BuiltinFunctionType: lambda value: f"<builtin {value.__name__}>",
    MethodType: lambda value: f"<method {getattr(value.__func__, '__name__', '?')}>",
    CodeType: lambda value: f"<code {value.co_name}>",
    GeneratorType: lambda value: f"<generator {value.__name__}>",
    ModuleType: lambda value: f"<module {getattr(value, '__name__', '?')}>",
}
