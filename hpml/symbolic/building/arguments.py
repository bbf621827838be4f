"""Calls with nested arguments: symbolic data inside lists, tuples, dictionaries and slices.

``f([x, y], dim=1)`` with symbolic ``x`` and ``y`` is taken apart once, when the node is made, into
the symbolic parts and a :class:`Template` for the rest. The template is compiled to a small Python
function, so that putting real values back costs as little as writing the call by hand.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from torch import Tensor, nn

from hpml.symbolic.errors import ArgumentError


class Template(NamedTuple):
    """The fixed part of a call.

    Attributes:
        text: the arguments as Python source; ``a0, a1, …`` stand for the values that are filled
            in, ``k[0], k[1], …`` for the constants.
        constants: the constants.
        holes: how many values are filled in.
    """

    text: str
    constants: tuple[Any, ...]
    holes: int

    @property
    def is_plain(self) -> bool:
        """Whether the values are the positional arguments, in order, and nothing else is given."""
        return self.text == ", ".join(f"a{i}" for i in range(self.holes))


class _Text(str):
    """Source that is already written, to tell it from arguments that are strings."""


_ATOMS = frozenset((Tensor, nn.Parameter, int, float, bool, str, type(None)))
_OPAQUE = (nn.Module, Tensor, type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def children_of(value: Any) -> Iterator[Any] | None:
    """Return the parts of a container, a slice or a dataclass; ``None`` for anything else."""
    if type(value) in _ATOMS:
        return None
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return iter(value)
    if isinstance(value, Mapping):
        return iter(value.values())
    if isinstance(value, slice):
        return iter((value.start, value.stop, value.step))
    if dataclasses.is_dataclass(value) and not isinstance(value, _OPAQUE):
        return iter([getattr(value, name, None) for name in _field_names(value)])
    return None


def _field_names(value: Any) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    return list(vars(value))


def find(values: Any, kinds: tuple[type, ...]) -> Any | None:
    """Return the first instance of one of ``kinds`` in ``values`` at any depth, or ``None``.

    An object of another class is looked into one level deep.

    >>> find(([1, {"a": 2.0}],), (float,))
    2.0
    """
    waiting = [values]
    opened: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, kinds):
            return value
        if type(value) in _ATOMS:
            continue
        parts = children_of(value)
        if parts is not None:
            if id(value) not in opened:
                opened.add(id(value))  # a dictionary may contain itself
                waiting.extend(parts)
        elif not isinstance(value, _OPAQUE):
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict:
                waiting.extend([v for v in attributes.values() if isinstance(v, kinds)])
    return None


def mentions(values: Any, kinds: tuple[type, ...]) -> bool:
    """Return whether an instance of one of ``kinds`` is in ``values``, at any depth."""
    return find(values, kinds) is not None


def split_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], kind: type
) -> tuple[list[Any], Template]:
    """Take a call apart into the instances of ``kind`` among its arguments, and the rest.

    >>> found, template = split_call(([1.5, 2, "a"],), {"dim": 2.5}, float)
    >>> found, template.text, template.constants
    ([1.5, 2.5], '[a0, k[0], k[1]], dim=a1', (2, 'a'))
    """
    found: list[Any] = []
    constants: list[Any] = []
    pieces: list[str] = []

    def constant(value: Any) -> str:
        constants.append(value)
        return f"k[{len(constants) - 1}]"

    waiting: list[Any] = list(reversed(_with_commas([(None, a) for a in args])))
    if args and kwargs:
        waiting.insert(0, _Text(", "))
    named: list[tuple[_Text | None, Any]]
    if all(name.isidentifier() and not keyword.iskeyword(name) for name in kwargs):
        named = [(_Text(f"{name}="), value) for name, value in kwargs.items()]
    else:  # f(**{"from": x}) cannot be written as f(from=x)
        named = [(_Text("**"), kwargs)]
    waiting[:0] = list(reversed(_with_commas(named)))

    open_now: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, _Text):
            pieces.append(value)
        elif isinstance(value, _Leave):
            open_now.discard(value.container)
        elif isinstance(value, kind):
            # The size of a batch becomes symbolic data when it is used.
            symbolic = getattr(type(value), "symbolic", None)
            found.append(value if symbolic is None else symbolic(value))
            pieces.append(f"a{len(found) - 1}")
        elif _is_taken_apart(value, kind):
            if id(value) in open_now:
                raise ArgumentError(
                    f"a {type(value).__name__} among the arguments contains itself; expected "
                    "containers that end: pass the symbolic values in it one by one"
                )
            open_now.add(id(value))
            waiting.append(_Leave(id(value)))
            waiting.extend(reversed(_expand(value, constant)))
        else:
            pieces.append(constant(value))
    return found, Template("".join(pieces), tuple(constants), len(found))


class _Leave(NamedTuple):
    """Stands behind the parts of a container."""

    container: int


def _is_taken_apart(value: Any, kind: type) -> bool:
    if type(value) in _ATOMS:
        return False
    if isinstance(value, (list, tuple, dict, slice)):
        return mentions(value, (kind, Tensor))
    return mentions(value, (kind,))


def _with_commas(items: list[tuple[_Text | None, Any]]) -> list[Any]:
    result: list[Any] = []
    for prefix, value in items:
        if result:
            result.append(_Text(", "))
        if prefix is not None:
            result.append(prefix)
        result.append(value)
    return result


def _expand(value: Any, constant: Callable[[Any], str]) -> list[Any]:
    """Return a container as a list of source pieces and parts still to be written."""
    kind = type(value)
    if kind is dict:
        items: list[tuple[_Text | None, Any]] = [
            (_Text(constant(key) + ": "), part) for key, part in value.items()
        ]
        return [_Text("{"), *_with_commas(items), _Text("}")]
    parts = _with_commas([(None, part) for part in children_of(value) or ()])
    if kind is slice:
        return [_Text("slice("), *parts, _Text(")")]
    if kind is list:
        return [_Text("["), *parts, _Text("]")]
    if kind is tuple:
        return [_Text("("), *parts, _Text(",)")]
    if isinstance(value, tuple):  # a named tuple takes its parts one by one, others take all
        make = getattr(kind, "_make", kind)
        return [_Text(constant(make) + "(["), *parts, _Text("])")]
    raise ArgumentError(
        f"symbolic data inside a {kind.__name__} cannot be passed on: expected it alone or in "
        "lists, tuples, dictionaries and slices; give its parts as arguments of their own"
    )


@functools.lru_cache(maxsize=4096)
def compile_call(text: str, holes: int, method: str = "") -> Callable[..., Any]:
    """Return ``call(function, constants, *values)`` for the text of a template.

    With a ``method`` it is called on the first value.

    >>> compile_call("[a0, k[0]], key=a1", 2)(lambda a, key: (a, key), (10,), 1, 2)
    ([1, 10], 2)
    """
    parameters = ", ".join(["function", "k", *(f"a{i}" for i in range(holes))])
    written = (
        f"a0.{method}({text.removeprefix('a0').lstrip(', ')})" if method else f"function({text})"
    )
    source = f"def call({parameters}):\n    return {written}\n"
    scope: dict[str, Any] = {}
    try:
        exec(compile(source, "<hpml call>", "exec"), scope)
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ArgumentError(
            f"the arguments are nested too deeply to be written as a call ({error}); expected at "
            "most about 80 levels of lists, tuples and dictionaries: flatten them"
        ) from error
    call: Callable[..., Any] = scope["call"]
    return call
