"""Building and unpacking lists, tuples, sets, dictionaries and strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Handler
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import in_class


def pop_many(frame: Frame, count: int) -> list[Any]:
    """Pop `count` values; return them with the top last."""
    stack = frame.stack
    if count == 0:
        return []
    values = stack[-count:]
    del stack[-count:]
    return values


def build(function: Callable[[list[Any]], Any]) -> Handler:
    """Return a handler that pops values and pushes ``function(values)``."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        frame.stack.append(function(pop_many(frame, instruction.arg)))

    return handler


def build_map(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop alternating keys and values, push a dictionary."""
    parts = pop_many(frame, 2 * instruction.arg)
    frame.stack.append(dict(zip(parts[::2], parts[1::2], strict=True)))


def build_const_key_map(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a tuple of keys and as many values, push a dictionary."""
    keys = frame.stack.pop()
    frame.stack.append(dict(zip(keys, pop_many(frame, instruction.arg), strict=True)))


# Growing the container `arg` deep in the stack: comprehensions, and displays with stars


def grow(method: Callable[[Any, Any], None]) -> Handler:
    """Return a handler that pops a value and calls ``method(container, value)``."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        value = frame.stack.pop()
        method(frame.stack[-instruction.arg], value)

    return handler


def map_add(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value and a key into a dictionary."""
    value = frame.stack.pop()
    key = frame.stack.pop()
    frame.stack[-instruction.arg][key] = value


def list_extend(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an iterable into a list."""
    values = frame.stack.pop()
    # The display raises CPython's error for a value that is not iterable.
    frame.stack[-instruction.arg].extend([*values])


def dict_update(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a mapping into a dictionary."""
    values = frame.stack.pop()
    frame.stack[-instruction.arg].update({**values})


def dict_merge(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a mapping into the keyword arguments of a call; duplicate names are an error."""
    values = frame.stack.pop()
    keywords = frame.stack[-instruction.arg]
    function = frame.stack[-instruction.arg - 2]
    if function is NULL:  # 3.13 pushes the function below the NULL
        function = frame.stack[-instruction.arg - 3]
    # For other objects and duplicate names, CPython raises an error that names the function.
    kind = type(values)
    if issubclass(kind, dict) and in_class(kind, "__iter__") is dict.__iter__:
        values = dict(dict.items(values))  # CPython ignores overridden methods here
    elif not hasattr(values, "keys"):
        function(**keywords, **values)
    for name in values.keys():  # noqa: SIM118 - the protocol: a mapping need not be iterable
        if name in keywords:
            function(**{name: None}, **{name: None})
        keywords[name] = values[name]


# Unpacking


def unpack_sequence(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an iterable of `arg` items; push them, the first on top."""
    values = frame.stack.pop()
    if type(values) not in (list, tuple) or len(values) != instruction.arg:
        values = _unpack(values, instruction.arg)
    frame.stack.extend(reversed(values))


def unpack_ex(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an iterable; push the items after the star, the starred list, the items before it."""
    before, after = instruction.arg & 0xFF, instruction.arg >> 8
    frame.stack.extend(reversed(_unpack(frame.stack.pop(), before, after)))


def _unpack(values: Any, before: int, after: int | None = None) -> list[Any]:
    """Let CPython unpack `values`, which raises its errors, with a star if `after` is given."""
    targets = [f"v{index}" for index in range(before + (after or 0))]
    if after is not None:
        targets.insert(before, "*starred")
    namespace = {"values": values}
    # The name of this file, so that no traceback shows this text.
    exec(compile(f"[{', '.join(targets)}] = values", __file__, "exec"), namespace)
    return [namespace[name.removeprefix("*")] for name in targets]
