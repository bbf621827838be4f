"""Raising and handling: ``raise``, ``try``, ``except``, ``finally``."""

from __future__ import annotations

import sys

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame, Reraise
from hpml.bytecode.plain_attributes import mro

_NOT_A_CLASS = "catching classes that do not inherit from BaseException is not allowed"


def raise_varargs(frame: Frame, instruction: DecodedInstruction) -> Reraise:
    """Reraise the handled exception (0), raise the popped one (1), or that from a cause (2)."""
    if instruction.arg == 0:
        handled = sys.exc_info()[1]
        if handled is None:
            raise RuntimeError("No active exception to reraise")
        return Reraise(handled)
    if instruction.arg == 1:
        raise frame.stack.pop()
    cause = frame.stack.pop()
    raise frame.stack.pop() from cause


def reraise(frame: Frame, instruction: DecodedInstruction) -> Reraise:
    """Pop an exception and let it propagate."""
    return Reraise(frame.stack.pop())


def push_exc_info(frame: Frame, instruction: DecodedInstruction) -> None:
    """Begin to handle the exception on top; push the one handled before below it."""
    error = frame.stack.pop()
    frame.stack.append(frame.coroutine_stack.handled)
    frame.stack.append(error)
    frame.coroutine_stack.handled = error


def pop_except(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the exception handled before, and make it the handled one again."""
    frame.coroutine_stack.handled = frame.stack.pop()


def check_exc_match(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the class or classes after ``except``; push whether the exception on top matches."""
    expected = frame.stack.pop()
    kinds = expected if issubclass(type(expected), tuple) else (expected,)
    for kind in kinds:
        if not (issubclass(type(kind), type) and issubclass(kind, BaseException)):
            raise TypeError(_NOT_A_CLASS)
    # By inheritance and identity alone: a metaclass may define ``__instancecheck__``, ``__eq__``.
    bases = mro(type(frame.stack[-1]))
    frame.stack.append(any(kind is base for kind in kinds for base in bases))
