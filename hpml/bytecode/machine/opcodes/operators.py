"""Arithmetic, comparisons, subscripts and formatting."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.opcodes.containers import pop_many
from hpml.bytecode.machine.state import Frame, Handler

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "[]": operator.getitem,  # since 3.14
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
CONVERSIONS: tuple[Callable[[Any], Any], ...] = (lambda value: value, str, repr, ascii)
"""The functions of ``!s``, ``!r`` and ``!a`` in an f-string, by number."""

_TO_BOOL = 16


def binary_op(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop two values, push the result of the operator between them."""
    right = frame.stack.pop()
    left = frame.stack.pop()
    frame.stack.append(BINARY[instruction.argrepr](left, right))


def compare_op(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop two values, push the result of their comparison, or its truth if a branch follows."""
    right = frame.stack.pop()
    result = COMPARISONS[instruction.argval](frame.stack.pop(), right)
    is_tested = sys.version_info >= (3, 13) and instruction.arg & _TO_BOOL
    frame.stack.append(bool(result) if is_tested else result)


def is_op(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop two values, push whether they are (not) the same object."""
    right = frame.stack.pop()
    left = frame.stack.pop()
    frame.stack.append((left is right) != bool(instruction.arg))


def contains_op(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a container and, below it, a value; push whether the value is (not) in it."""
    container = frame.stack.pop()
    value = frame.stack.pop()
    frame.stack.append(operator.contains(container, value) != bool(instruction.arg))


def replace(count: int, function: Callable[..., Any]) -> Handler:
    """Return a handler that replaces the upper `count` values by ``function(*values)``."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        frame.stack.append(function(*pop_many(frame, count)))

    return handler


def effect(count: int, function: Callable[..., Any]) -> Handler:
    """Return a handler that pops the upper `count` values for ``function(*values)``."""

    def handler(frame: Frame, instruction: DecodedInstruction) -> None:
        function(*pop_many(frame, count))

    return handler


def stop_iteration_error(error: BaseException) -> BaseException:
    """Turn a StopIteration that would leave a generator into a RuntimeError (PEP 479)."""
    if not issubclass(type(error), StopIteration):
        return error
    replacement = RuntimeError("generator raised StopIteration")
    replacement.__cause__ = replacement.__context__ = error
    return replacement


INTRINSICS: dict[int, Callable[[Any], Any]] = {3: stop_iteration_error, 5: operator.pos, 6: tuple}
"""The functions of CALL_INTRINSIC_1 by number; ordinary functions do not use the others."""


def call_intrinsic_1(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the top by ``INTRINSICS[arg](top)`` (3.12)."""
    frame.stack.append(INTRINSICS[instruction.arg](frame.stack.pop()))


def format_value(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a format (if bit 2 is set) and a value, push the value as text (3.11, 3.12)."""
    specification = frame.stack.pop() if instruction.arg & 4 else ""
    value = CONVERSIONS[instruction.arg & 3](frame.stack.pop())
    frame.stack.append(format(value, specification))


def convert_value(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the top by its ``str``, ``repr`` or ``ascii`` (3.13)."""
    frame.stack.append(CONVERSIONS[instruction.arg](frame.stack.pop()))
