"""Short text of any value, for the steps of a trace."""

from __future__ import annotations

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
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.plain_attributes import in_class, name_of

__builtins__ = BUILTINS

LIMIT = 60
"""Default limit of characters."""

_ITEMS = 6
_LEVELS = 3
_DIGITS = 10**30
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("{", "}"),
    dict: ("{", "}"),
}


def short(value: object, limit: int = LIMIT) -> str:
    """Return one line for `value`, of at most `limit` characters."""
    kind = type(value)
    if kind is int and -_DIGITS < value < _DIGITS:  # type: ignore[operator]
        return repr(value)
    if value is None or kind is bool or kind is float:
        return repr(value)
    return _cut(_text(value, _LEVELS, limit), limit)


def _cut(text: str, limit: int) -> str:
    if "\n" in text or "\r" in text:
        text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _text(value: Any, levels: int, limit: int) -> str:
    kind = type(value)
    if kind is int:
        if -_DIGITS < value < _DIGITS:
            return repr(value)
        return f"<int of {value.bit_length()} bits>"
    if kind is str or kind is bytes or kind is bytearray:
        start = repr(value[: max(limit - 5, 1)])
        # Cut inside the quotes, to keep a closing quote.
        return start if len(value) <= max(limit - 5, 1) else f"{start[: limit - 4]}...{start[-1]}"
    if kind in _BRACKETS:
        return _container(value, kind, levels, limit)
    if kind is CellType:
        return _cell(value, levels, limit)
    named = _NAMED.get(kind)
    if named is not None:
        text: str = named(value)
        return text
    if issubclass(kind, type):
        return f"<class {name_of(value)}>"
    return _instance(value, kind, limit)


def _container(value: Any, kind: type, levels: int, limit: int) -> str:
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
            f"{_text(key, levels - 1, limit)}: {_text(item, levels - 1, limit)}"
            for key, item in first
        ]
    else:
        parts = [_text(item, levels - 1, limit) for item in first]
    if len(value) > len(first):
        parts.append("...")
    inside = ", ".join(parts) + ("," if kind is tuple and len(value) == 1 else "")
    text = f"{opening}{inside}{closing}"
    return f"frozenset({text})" if kind is frozenset else text


def _instance(value: Any, kind: type, limit: int) -> str:
    """Return the text of an object whose class has no rule of its own."""
    name = name_of(kind)
    try:
        # A NumPy scalar has a shape as well.
        is_array = in_class(kind, "shape") is not NULL and in_class(kind, "dtype") is not NULL
        if is_array and not (in_class(kind, "__module__") == "numpy" and value.shape == ()):
            return f"<{name} {tuple(value.shape)} {value.dtype}>"
        if in_class(kind, "__repr__") is object.__repr__:
            return f"<{name} object>"
        if issubclass(kind, _COLLECTIONS) and len(value) > _LONG:
            return f"<{name} of {len(value)}>"
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a class's __repr__ raises
        return f"<{name} object>"
    return text if len(text) <= 4 * limit else text[: 4 * limit]


# The repr of a subclass may write all items, so long ones are shown by their length.
_COLLECTIONS = (list, tuple, dict, set, frozenset, str, bytes, bytearray)
_LONG = 100


def _cell(value: CellType, levels: int, limit: int) -> str:
    # The namespace of a class body can contain a cell that contains the namespace.
    try:
        inside = _text(value.cell_contents, levels - 1, limit) if levels else "..."
    except ValueError:
        inside = "empty"
    return f"<cell: {inside}>"


_NAMED: dict[type, Any] = {
    FunctionType: lambda value: f"<function {value.__name__}>",
    BuiltinFunctionType: lambda value: f"<builtin {value.__name__}>",
    MethodType: lambda value: f"<method {getattr(value.__func__, '__name__', '?')}>",
    CodeType: lambda value: f"<code {value.co_name}>",
    GeneratorType: lambda value: f"<generator {value.__name__}>",
    ModuleType: lambda value: f"<module {getattr(value, '__name__', '?')}>",
}
