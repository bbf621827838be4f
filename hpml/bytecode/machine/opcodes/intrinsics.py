"""CALL_INTRINSIC: rare instructions that share two opcodes from 3.12 on.

Type parameters (PEP 695) are made by small programs of that syntax, so that their bounds and values
are evaluated when somebody asks, as the language says.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.opcodes.classes import names_from_star
from hpml.bytecode.machine.opcodes.exceptions import remaining
from hpml.bytecode.machine.state import Frame


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


def _made(frame: Frame, source: str, **names: Any) -> Any:
    """Return what the type statement `source`, about ``made``, makes in the program's module."""
    space = {"__name__": frame.globals.get("__name__"), **names}
    exec(compile(source, __file__, "exec"), space)
    return space["made"]


def _parameter(frame: Frame, declaration: str, **names: Any) -> Any:
    return _made(
        frame,
        f"type _alias[{declaration}] = None\nmade, = _alias.__type_params__",
        **names,
    )


def _type_alias(frame: Frame, parts: tuple[Any, Any, Any]) -> Any:
    # An alias with parameters is made by a function that CPython executes: MachineState.steps_into.
    name, _, evaluate = parts
    other = _other(name)
    return _made(frame, f"type {name} = {other}()\nmade = {name}", **{other: evaluate})


def _bound(frame: Frame, name: str, bound: Callable[[], Any]) -> Any:
    other = _other(name)
    return _parameter(frame, f"{name}: {other}()", **{other: bound})


def _constraints(frame: Frame, name: str, limits: Callable[[], Any]) -> Any:
    other = _other(name)
    return _parameter(frame, f"{name}: (*{other}(),)", **{other: limits})


def _other(name: str) -> str:
    """Return a name that the declaration of `name` does not hide."""
    return f"of_{name}"


def _subscript_generic(frame: Frame, parameters: tuple[Any, ...]) -> Any:
    unpacked = [
        next(iter(parameter)) if type(parameter).__name__ == "TypeVarTuple" else parameter
        for parameter in parameters
    ]
    return typing.Generic[tuple(unpacked)]  # type: ignore[index]


def _set_type_params(frame: Frame, function: Any, parameters: tuple[Any, ...]) -> Any:
    function.__type_params__ = parameters
    return function


def _set_default(frame: Frame, parameter: Any, evaluate: Callable[[], Any]) -> Any:
    """Return `parameter` with a default (PEP 696)."""
    name = parameter.__name__
    kind = type(parameter).__name__
    other, old = _other(name), _other(_other(name))
    if kind == "TypeVarTuple":
        return _parameter(frame, f"*{name} = {other}()", **{other: evaluate})
    if kind == "ParamSpec":
        return _parameter(frame, f"**{name} = {other}()", **{other: evaluate})
    if parameter.__constraints__:
        limits = f"(*{old}.__constraints__,)"
    else:
        # None where there is none, and not asked for before it is needed
        limits = f"{old}.__bound__"
    names = {other: evaluate, old: parameter}
    return _parameter(frame, f"{name}: {limits} = {other}()", **names)


ONE: dict[int, Callable[[Frame, Any], Any]] = {
    1: lambda frame, value: sys.displayhook(value),
    2: lambda frame, module: names_from_star(frame, module),
    3: _stop_iteration_error,
    5: lambda frame, value: +value,
    6: lambda frame, value: tuple(value),
    7: lambda frame, name: _parameter(frame, name),
    8: lambda frame, name: _parameter(frame, f"**{name}"),
    9: lambda frame, name: _parameter(frame, f"*{name}"),
    10: _subscript_generic,
    11: _type_alias,
}
TWO: dict[int, Callable[[Frame, Any, Any], Any]] = {
    1: lambda frame, original, raised: remaining(original, raised),
    2: _bound,
    3: _constraints,
    4: _set_type_params,
    5: _set_default,
}
