"""Structural pattern matching (PEP 634)."""

from __future__ import annotations

from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import flags

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
    """Let CPython match the class pattern, which raises its errors."""
    values = [f"v{index}" for index in range(positional + len(names))]
    named = [f"{name}={value}" for name, value in zip(names, values[positional:], strict=True)]
    pattern = ", ".join([*values[:positional], *named])
    namespace = {"subject": subject, "kind": kind}
    text = f"match subject:\n    case kind({pattern}): found = True"
    # The name of this file, so that no traceback shows this text.
    exec(compile(text, __file__, "exec"), namespace)
    return tuple(namespace[name] for name in values) if "found" in namespace else None
