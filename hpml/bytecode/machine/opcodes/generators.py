"""Generators: creation, ``yield`` and ``yield from``."""

from __future__ import annotations

import sys
from types import CoroutineType, GeneratorType

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.generators import start
from hpml.bytecode.machine.state import Frame, Reraise, Return, Yield
from hpml.bytecode.plain_attributes import returned_by


def return_generator(frame: Frame, instruction: DecodedInstruction) -> Return:
    """Return a generator whose body is the rest of this frame."""
    return Return(start(frame))


def yield_value(frame: Frame, instruction: DecodedInstruction) -> Yield:
    """Pop a value for the caller, and suspend; a sent value will be pushed."""
    return Yield(frame.stack.pop())


def get_yield_from_iter(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the top by an iterator for ``yield from``."""
    value = frame.stack.pop()
    if isinstance(value, CoroutineType):
        raise TypeError("cannot 'yield from' a coroutine object in a non-coroutine generator")
    frame.stack.append(value if type(value) is GeneratorType else iter(value))


def send(frame: Frame, instruction: DecodedInstruction) -> None:
    """Send the top to the generator below; push what it yields, or what it returns and jump."""
    value = frame.stack.pop()
    receiver = frame.stack[-1]
    try:
        result = next(receiver) if value is None else receiver.send(value)
    except StopIteration as stop:
        result = returned_by(stop)
        if sys.version_info < (3, 12):  # then END_SEND drops the generator
            frame.stack.pop()
        frame.index = instruction.target
    frame.stack.append(result)


def cleanup_throw(frame: Frame, instruction: DecodedInstruction) -> Reraise | None:
    """Push the value returned by a generator after a throw, or reraise its exception (3.12)."""
    error = frame.stack[-1]
    if not issubclass(type(error), StopIteration):
        return Reraise(error)
    for _ in range(3):
        frame.stack.pop()
    frame.stack.append(None)
    frame.stack.append(returned_by(error))
    return None
