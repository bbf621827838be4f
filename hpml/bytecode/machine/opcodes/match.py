"""Structural pattern matching (PEP 634)."""

from __future__ import annotations

import sys
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler
from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.plain_attributes import flags

__builtins__ = BUILTINS

# Py_TPFLAGS_SEQUENCE, Py_TPFLAGS_MAPPING and _Py_TPFLAGS_MATCH_SELF.
SEQUENCE = 1 << 5
MAPPING = 1 << 6
_MATCH_SELF = 1 << 22


def match_flag(flag: int) -> Handler:
    """Return a handler that pushes whether the type of the top has `flag`, such as SEQUENCE."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        frame.stack.append(bool(flags(type(frame.stack[-1])) & flag))

    return handler


def get_len(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the length of the top."""
    frame.stack.append(len(frame.stack[-1]))


def match_keys(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the mapping's values for the keys on top, as a tuple, or None if one is missing."""
    keys, mapping = frame.stack[-1], frame.stack[-2]
    values = []
    seen = set()
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        value = mapping.get(key, NULL)
        if value is NULL:
            frame.stack.append(None)
            return
        values.append(value)
    frame.stack.append(tuple(values))


def match_class(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop names, a class and a subject; push `arg` positional and the named attributes, or None."""
    names = frame.stack.pop()
    kind = frame.stack.pop()
    subject = frame.stack.pop()
    frame.stack.append(_attributes(subject, kind, instruction.arg, names))


def _attributes(
    subject: Any, kind: Any, positional: int, names: tuple[str, ...]
) -> tuple[Any, ...] | None:
    if not issubclass(type(kind), type):
        noun = "class" if sys.version_info >= (3, 12) else "type"
        raise TypeError(f"called match pattern must be a {noun}")
    if not isinstance(subject, kind):
        return None
    values: list[Any] = []
    requested = list(names)
    if positional:
        match_args = getattr(kind, "__match_args__", NULL)
        matches_self = match_args is NULL and bool(flags(kind) & _MATCH_SELF)
        by_position = () if match_args is NULL else match_args
        if type(by_position) is not tuple:
            raise TypeError(
                f"{kind.__name__}.__match_args__ must be a tuple (got {type(by_position).__name__})"
            )
        allowed = 1 if matches_self else len(by_position)
        if allowed < positional:
            raise TypeError(
                f"{kind.__name__}() accepts {allowed} positional "
                f"sub-pattern{'' if allowed == 1 else 's'} ({positional} given)"
            )
        if matches_self:
            values.append(subject)
        else:
            requested = [*by_position[:positional], *names]
    seen = set()
    for name in requested:
        if type(name) is not str:
            raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
        if name in seen:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
        seen.add(name)
        value = getattr(subject, name, NULL)
        if value is NULL:
            return None
        values.append(value)
    return tuple(values)
