"""From the arguments of a call to the first slots of a frame.

PEP 570 and PEP 3102 say which argument becomes which parameter. Where arguments and parameters do
not fit, there is no frame: CPython itself is asked to make that call, and words the error.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS


def bind(
    function: FunctionType, args: list[Any], keywords: dict[str, Any], size: int
) -> list[Any] | None:
    """Return the slots that a call of `function` begins with; None if the arguments do not fit."""
    code = function.__code__
    positional = code.co_argcount
    named = positional + code.co_kwonlyargcount
    slots = [NULL] * size
    given = min(len(args), positional)
    slots[:given] = args[:given]
    after = named
    if code.co_flags & inspect.CO_VARARGS:
        slots[after] = tuple(args[positional:])
        after += 1
    elif len(args) > positional:
        return None
    extra = None
    if code.co_flags & inspect.CO_VARKEYWORDS:
        extra = slots[after] = {}
    for name, value in keywords.items():
        if not isinstance(name, str):
            return None
        if name in code.co_varnames[code.co_posonlyargcount : named]:
            slot = code.co_varnames.index(name, code.co_posonlyargcount)
            if slots[slot] is not NULL:
                return None
            slots[slot] = value
        elif extra is not None:
            extra[name] = value
        else:
            return None
    return slots if _fill_defaults(function, slots, given, named) else None


def _fill_defaults(function: FunctionType, slots: list[Any], given: int, named: int) -> bool:
    """Put defaults where no argument came; return whether every parameter has a value then."""
    positional = function.__code__.co_argcount
    defaults = function.__defaults__ or ()
    first = positional - len(defaults)
    for slot in range(given, positional):
        if slots[slot] is NULL:
            if slot < first:
                return False
            slots[slot] = defaults[slot - first]
    named_defaults = function.__kwdefaults__ or {}
    for slot in range(positional, named):
        if slots[slot] is NULL:
            name = function.__code__.co_varnames[slot]
            if name not in named_defaults:
                return False
            slots[slot] = named_defaults[name]
    return True
