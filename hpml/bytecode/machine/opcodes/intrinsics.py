"""CALL_INTRINSIC: rare instructions that share two opcodes from 3.12 on.

Those that make type parameters (PEP 695) are in functions of their own, which CPython executes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.opcodes.classes import names_from_star
from hpml.bytecode.machine.opcodes.exceptions import remaining
from hpml.bytecode.machine.state import Frame
from hpml.bytecode.own_code import BUILTINS

__builtins__ = BUILTINS


def call_intrinsic_1(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value, push the result of the instruction that `arg` numbers (3.12)."""
    value = frame.stack.pop()
    frame.stack.append(ONE[instruction.arg](frame, value))


def call_intrinsic_2(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop two values, push the result of the instruction that `arg` numbers (3.12)."""
    second = frame.stack.pop()
    first = frame.stack.pop()
    frame.stack.append(TWO[instruction.arg](frame, first, second))


def _stop_iteration_error(frame: Frame, error: BaseException) -> BaseException:
    """Turn a StopIteration that would leave a generator into a RuntimeError (PEP 479)."""
    if not issubclass(type(error), StopIteration):
        return error
    replacement = RuntimeError("generator raised StopIteration")
    replacement.__cause__ = replacement.__context__ = error
    return replacement


def _type_alias(frame: Frame, parts: tuple[Any, Any, Any]) -> Any:
    """Make a type alias (PEP 695) with a small program, so that its value is evaluated later."""
    name, _, evaluate = parts
    value = f"of_{name}"  # a name that the alias does not hide
    space = {"__name__": frame.globals.get("__name__"), value: evaluate}
    exec(compile(f"type {name} = {value}()", __file__, "exec"), space)
    return space[name]


ONE: dict[int, Callable[[Frame, Any], Any]] = {
    1: lambda frame, value: sys.displayhook(value),
    2: lambda frame, module: names_from_star(frame, module),
    3: _stop_iteration_error,
    5: lambda frame, value: +value,
    6: lambda frame, value: tuple(value),
    11: _type_alias,
}
TWO: dict[int, Callable[[Frame, Any, Any], Any]] = {
    1: lambda frame, original, raised: remaining(original, raised),
}
