"""Generators: creation, ``yield`` and ``yield from``."""

from __future__ import annotations

import sys
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.generators import start
from hpml.bytecode.machine.opcodes.iteration import HAS_INDEX, next_item, pop_iter, receiver
from hpml.bytecode.machine.state import Frame, Reraise, Return, Yield
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import returned_by


def return_generator(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Return a generator whose body is the rest of this frame."""
    return Return(start(frame))


def yield_value(frame: Frame, instruction: DecodedInstruction) -> Yield:
    """Pop a value for the caller, and suspend; a sent value will be pushed."""
    return Yield(frame.stack.pop())


def send(frame: Frame, instruction: DecodedInstruction) -> None:
    """Send the top to the generator below; push what it yields, or what it returns and jump."""
    value = frame.stack.pop()
    try:
        result = _next(frame) if value is None else receiver(frame).send(value)
    except StopIteration as stop:
        result = returned_by(stop)
        if sys.version_info < (3, 12):  # then END_SEND drops the generator
            frame.stack.pop()
        frame.index = instruction.target
    frame.stack.append(result)


def _next(frame: Frame) -> Any:
    if HAS_INDEX and frame.stack[-1] is not NULL:
        value = next_item(frame, NULL)
        if value is NULL:
            raise StopIteration
        return value
    return next(receiver(frame))


def end_send(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the iterator of a ``yield from`` below the value that it returned (3.12)."""
    value = frame.stack.pop()
    pop_iter(frame, instruction)
    frame.stack.append(value)


def cleanup_throw(frame: Frame, instruction: DecodedInstruction) -> Reraise | None:
    """Push the value returned by a generator after a throw, or reraise its exception (3.12)."""
    error = frame.stack[-1]
    if not issubclass(type(error), StopIteration):
        return Reraise(error)
    del frame.stack[-4 if HAS_INDEX else -3 :]
    frame.stack.extend((None, NULL) if HAS_INDEX else (None,))
    frame.stack.append(returned_by(error))
    return None
