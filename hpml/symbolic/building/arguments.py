"""Split the arguments of a call, ``f([x, y], dim=1)``, into symbolic data and a template.

The :class:`Template` is compiled to a Python function, so filling in real values is as fast as a
call written by hand.
"""

from __future__ import annotations

import copy
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
    """The arguments of a call, with ``a0, a1, …`` for values and ``k[0], …`` for constants."""

    text: str  # the arguments as Python source
    constants: tuple[Any, ...]
    holes: int  # the number of values to fill in

    @property
    def is_plain(self) -> bool:
        """Whether the arguments are exactly the values, by position and in order."""
        return self.text == ", ".join(f"a{i}" for i in range(self.holes))


ATOMS = frozenset((Tensor, nn.Parameter, int, float, bool, str, type(None)))
_OPAQUE = (nn.Module, Tensor, type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)


def children_of(value: Any) -> Iterator[Any] | None:
    """Return the parts of a container, a slice or a dataclass, or else ``None``."""
    if type(value) in ATOMS:
        return None
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return iter(value)
    if isinstance(value, Mapping):
        return iter(value.values())
    if isinstance(value, slice):
        return iter((value.start, value.stop, value.step))
    if dataclasses.is_dataclass(value) and not isinstance(value, _OPAQUE):
        return iter([getattr(value, field.name, None) for field in dataclasses.fields(value)])
    return None


def find(values: Any, kinds: tuple[type, ...]) -> Any | None:
    """Return an instance of ``kinds`` in containers at any depth or in attributes, or ``None``."""
    waiting = [values]
    opened: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, kinds):
            return value
        if type(value) in ATOMS:
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


def settled(value: Any) -> Any:
    """Return a copy of a list, dictionary or array, which the program may change later."""
    if type(value) is tuple:
        return tuple([settled(part) for part in value])
    is_container = type(value) in (list, dict) or hasattr(value, "__array_interface__")
    return copy.deepcopy(value) if is_container else value


def split_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], kind: type
) -> tuple[list[Any], Template]:
    """Split a call into the instances of ``kind`` among its arguments and a template.

    >>> found, template = split_call(([1.5, 2, "a"],), {"dim": 2.5}, float)
    >>> found, template.text, template.constants
    ([1.5, 2.5], '[a0, k[0], k[1]], dim=a1', (2, 'a'))
    """
    call = _Call(kind)
    texts = [call.text(value) for value in args]
    if all(name.isidentifier() and not keyword.iskeyword(name) for name in kwargs):
        texts += [f"{name}={call.text(value)}" for name, value in kwargs.items()]
    else:  # f(**{"from": x}) cannot be written as f(from=x)
        texts.append(f"**{call.text(kwargs)}")
    return call.found, Template(", ".join(texts), tuple(call.constants), len(call.found))


class _Call:
    """The values and constants found so far in a call."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.found: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any) -> str:
        self.constants.append(value)
        return f"k[{len(self.constants) - 1}]"

    def text(self, value: Any) -> str:
        if isinstance(value, self.kind):
            # An unknown size is recorded as symbolic data when it is used.
            symbolic = getattr(type(value), "symbolic", None)
            self.found.append(value if symbolic is None else symbolic(value))
            return f"a{len(self.found) - 1}"
        if not _needs_splitting(value, self.kind):
            return self.constant(value)
        if type(value) is dict:
            items = [f"{self.constant(k)}: {self.text(v)}" for k, v in value.items()]
            return "{" + ", ".join(items) + "}"
        if type(value) not in (list, slice) and not isinstance(value, tuple):
            raise ArgumentError(
                object="symbolic data in an argument",
                expected="it alone or in lists, tuples, dictionaries and slices",
                received=f"it inside a {type(value).__name__}",
                remedy="Pass its parts as separate arguments.",
            )
        before, after = _BRACKETS.get(type(value), ("", ""))
        if not before:  # a named tuple is made from a list by `_make`, other types by a call
            before, after = self.constant(getattr(type(value), "_make", type(value))) + "([", "])"
        return before + ", ".join([self.text(part) for part in children_of(value) or ()]) + after


_BRACKETS = {list: ("[", "]"), tuple: ("(", ",)"), slice: ("slice(", ")")}


def _needs_splitting(value: Any, kind: type) -> bool:
    if type(value) in ATOMS:
        return False
    if isinstance(value, (list, tuple, dict, slice)):
        return find(value, (kind, Tensor, nn.Module)) is not None
    return find(value, (kind,)) is not None


@functools.lru_cache(maxsize=4096)
def compile_call(text: str, holes: int, method: str = "") -> Callable[..., Any]:
    """Return ``call(function, constants, *values)`` for a template, or a call of ``method``."""
    parameters = ", ".join(["function", "k", *(f"a{i}" for i in range(holes))])
    result = (
        f"a0.{method}({text.removeprefix('a0').lstrip(', ')})" if method else f"function({text})"
    )
    scope: dict[str, Any] = {}
    exec(f"def call({parameters}):\n    return {result}\n", scope)
    call: Callable[..., Any] = scope["call"]
    return call
