"""Bind the arguments of a call to the slots of a frame (PEP 570, PEP 3102)."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from hpml.bytecode.null import NULL


def bind(
    function: FunctionType, args: list[Any], keywords: dict[str, Any], size: int
) -> list[Any] | None:
    """Return the initial slots for a call of `function`; None if the arguments do not fit."""
    code = function.__code__
    positional = code.co_argcount
    parameters = positional + code.co_kwonlyargcount
    slots = [NULL] * size
    filled = min(len(args), positional)
    slots[:filled] = args[:filled]
    next_slot = parameters
    if code.co_flags & inspect.CO_VARARGS:
        slots[next_slot] = tuple(args[positional:])
        next_slot += 1
    elif len(args) > positional:
        return None
    extra = None
    if code.co_flags & inspect.CO_VARKEYWORDS:
        extra = slots[next_slot] = {}
    for name, value in keywords.items():
        if not isinstance(name, str):
            return None
        if name in code.co_varnames[code.co_posonlyargcount : parameters]:
            slot = code.co_varnames.index(name, code.co_posonlyargcount)
            if slots[slot] is not NULL:
                return None
            slots[slot] = value
        elif extra is not None:
            extra[name] = value
        else:
            return None
    return slots if _fill_defaults(function, slots, filled, parameters) else None


def _fill_defaults(function: FunctionType, slots: list[Any], filled: int, parameters: int) -> bool:
    """Fill empty slots with defaults; return whether every parameter has a value then."""
    positional = function.__code__.co_argcount
    defaults = function.__defaults__ or ()
    first = positional - len(defaults)
    for slot in range(filled, positional):
        if slots[slot] is NULL:
            if slot < first:
                return False
            slots[slot] = defaults[slot - first]
    keyword_defaults = function.__kwdefaults__ or {}
    for slot in range(positional, parameters):
        if slots[slot] is NULL:
            name = function.__code__.co_varnames[slot]
            if name not in keyword_defaults:
                return False
            slots[slot] = keyword_defaults[name]
    return True
