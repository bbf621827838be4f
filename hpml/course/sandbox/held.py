"""Find what a loaded function could use that is forbidden, by what it is and not by its spelling.

The values are followed that the function reaches without a library: the names of the notebook that
it uses, its closure and default values, containers, and objects of the notebook's own classes.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import gc
import inspect
import itertools
import types
from collections.abc import Collection, Iterator
from typing import Any

_MOST = 20_000  # objects that are looked at
_PARTS = 10**6  # and parts of containers, most of which are numbers or texts
_ATOMS = (int, float, complex, bool, str, bytes, type(None))
_CALLABLES = (
    types.BuiltinFunctionType,
    types.FunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    type,
)
# The modules of the types whose objects are looked into.
_PLAIN = ("builtins", "collections", "functools", "itertools", "operator", "types", "weakref")


def held(
    function: object, namespace: dict[str, Any], modules: Collection[str], names: Collection[str]
) -> tuple[str, ...]:
    """Return what is forbidden and within reach of a function: ``"getsizeof, held by tools"``.

    Args:
        function: the function, or an object that calls one.
        namespace: the names of the notebook.
        modules: forbidden modules, with their submodules.
        names: names of forbidden functions and classes.
    """
    found: dict[str, None] = {}
    waiting: list[tuple[str, object]] = [("", function)]
    if callable(function):  # what Numba compiled, too
        waiting.append(("", inspect.unwrap(function)))
    seen: dict[int, object] = {}
    left = _PARTS
    while waiting and len(seen) < _MOST:
        by, value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value  # kept, so that no other object gets its identity
        own = _is_own(value, namespace)
        what = "" if own else _what(value, modules, names)
        if what:
            found[f"{what}, held by {by}" if by else what] = None
        for name, part in itertools.islice(_parts(value, namespace, own), left):
            left -= 1
            if type(part) not in _ATOMS:
                waiting.append((by or name, part))
    return tuple(found)


def _what(value: object, modules: Collection[str], names: Collection[str]) -> str:
    """Return the name of a forbidden module, function or class; an empty text for others."""
    if isinstance(value, types.ModuleType):
        module = name = _text(value, "__name__")
    elif isinstance(value, _CALLABLES):
        name, module = _text(value, "__name__"), _text(value, "__module__")
    else:
        return ""
    if module.startswith("hpml.course.sandbox."):  # what stands for IPython's own
        return ""
    within = any(module == each or module.startswith(f"{each}.") for each in modules)
    return name if within or name in names else ""


def _text(value: object, attribute: str) -> str:
    with contextlib.suppress(Exception):  # a metaclass may do anything
        found = getattr(value, attribute)
        if type(found) is str:
            return found
    return ""


def _is_own(value: object, namespace: dict[str, Any]) -> bool:
    """Return whether a function or class was made in the notebook."""
    if isinstance(value, types.FunctionType):
        return value.__globals__ is namespace
    return isinstance(value, type) and _text(value, "__module__") == namespace.get("__name__")


def _parts(value: object, namespace: dict[str, Any], own: bool) -> Iterator[tuple[str, object]]:
    """Yield the objects that an object of the notebook leads to, each with its name if any."""
    if isinstance(value, types.FunctionType):
        if own:
            for name in _names(value.__code__):
                if name in namespace:
                    yield name, namespace[name]
                elif _text(part := vars(builtins).get(name), "__name__") != name:
                    yield name, part
            parts = (value.__closure__, value.__defaults__, value.__kwdefaults__, vars(value))
            yield from (("", part) for part in parts if part)
    elif isinstance(value, type):
        if own:
            yield from (("", part) for part in (*vars(value).values(), *value.__bases__))
    elif not isinstance(value, types.ModuleType) and (
        type(value).__module__ in _PLAIN or _is_own(type(value), namespace)
    ):
        yield from (("", part) for part in gc.get_referents(value))


def _names(code: types.CodeType) -> Iterator[str]:
    """Yield the global names that a function's code uses, with those of functions inside it."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names(part)
