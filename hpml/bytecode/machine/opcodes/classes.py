"""Class bodies and imports."""

from __future__ import annotations

import builtins
import inspect
import sys
from types import CodeType, FunctionType
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.interpreter import run
from hpml.bytecode.machine.state import CoroutineStack, Frame, Reraise
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import unchanged


def load_build_class(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push ``__build_class__``, which takes the class body as a function."""
    frame.stack.append(frame.builtins["__build_class__"])


def _call_run_body() -> Any:
    return run_body()  # type: ignore[name-defined] # noqa: F821 - in the function's globals


# Like a class body, this code gets its namespace of local variables from its caller.
_BODY: CodeType = _call_run_body.__code__.replace(
    co_flags=_call_run_body.__code__.co_flags & ~(inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS)
)


def build_class(frame: Frame, function: Any, name: Any, /, *bases: Any, **keywords: Any) -> Any:
    """Create a class; the machine runs its body."""

    def run_body() -> Any:
        stack = CoroutineStack(frame.coroutine_stack.state)
        namespace = sys._getframe(1).f_locals
        body = stack.state.frame(function, [], {}, stack, namespace=namespace)
        assert body is not None  # a class body has no parameters
        stack.push(body)
        outcome = run(stack)
        if isinstance(outcome, Reraise):
            with unchanged(outcome.error, sys.exc_info()[1]):
                raise outcome.error
        return outcome.value

    body = FunctionType(_BODY, {"run_body": run_body, "__builtins__": builtins})
    return builtins.__build_class__(body, name, *bases, **keywords)


# Imports


def import_name(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop the names after ``from`` and the number of dots; push the module."""
    names = frame.stack.pop()
    level = frame.stack.pop()
    if "__import__" not in frame.builtins:
        raise ImportError("__import__ not found")
    importer = frame.builtins["__import__"]
    frame.stack.append(importer(instruction.argval, frame.globals, frame.namespace, names, level))


def import_from(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push an attribute or submodule of the module on top."""
    module = frame.stack[-1]
    name = instruction.argval
    value = getattr(module, name, NULL)
    if value is NULL:
        package = getattr(module, "__name__", None)
        value = sys.modules.get(f"{package}.{name}", NULL)
        if value is NULL:
            # CPython raises the error, and guesses the reason (a circular import, a shadowed name).
            namespace = {"__builtins__": {"__import__": lambda *_: module}}
            exec(compile(f"from module import {name}", __file__, "exec"), namespace)
            value = namespace[name]
    frame.stack.append(value)
