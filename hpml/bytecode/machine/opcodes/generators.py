"""Generators: creation, ``yield`` and ``yield from``."""

from __future__ import annotations

from types import CoroutineType, GeneratorType
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.generators import start
from hpml.bytecode.machine.state import Frame, Reraise, Return, Yield
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.plain_attributes import returned_by

__builtins__ = BUILTINS


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


def send_and_drop(frame: Frame, instruction: DecodedInstruction) -> None:
    """Send the top to the generator below; push what it yields, or drop it and jump (3.11)."""
    value = frame.stack.pop()
    result, ended = _send(frame.stack[-1], value)
    if ended:
        frame.stack.pop()
        frame.index = instruction.target
    frame.stack.append(result)


def send(frame: Frame, instruction: DecodedInstruction) -> None:
    """Send as on 3.11, but leave the generator on the stack for END_SEND (3.12)."""
    value = frame.stack.pop()
    result, ended = _send(frame.stack[-1], value)
    if ended:
        frame.index = instruction.target
    frame.stack.append(result)


def _send(receiver: Any, value: Any) -> tuple[Any, bool]:
    """Return the yielded value and False, or the returned value and True."""
    if value is None:
        try:
            return next(receiver), False
        except StopIteration as stop:
            return returned_by(stop), True
    try:
        return receiver.send(value), False
    except StopIteration as stop:
        return returned_by(stop), True


def end_send(frame: Frame, instruction: DecodedInstruction) -> None:
    """Drop the generator below the top (3.12)."""
    value = frame.stack.pop()
    frame.stack.pop()
    frame.stack.append(value)


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
