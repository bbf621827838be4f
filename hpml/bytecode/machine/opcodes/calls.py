"""Calls, and the creation of functions."""

from __future__ import annotations

import builtins
import sys
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.frame_builtins import call_frame_builtin
from hpml.bytecode.machine.opcodes.classes import build_class
from hpml.bytecode.machine.opcodes.containers import pop_many
from hpml.bytecode.machine.state import Enter, Frame, native_call
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import in_class


def call(frame: Frame, function: Any, args: list[Any], keywords: dict[str, Any]) -> Enter | None:
    """Step into `function`, or let CPython execute it and push the result."""
    callee = function
    if type(callee) is MethodType:
        args = [callee.__self__, *args]
        callee = callee.__func__
    special = in_class(type(callee), "__call__")
    if type(special) is FunctionType:
        args, callee = [callee, *args], special
    state = frame.coroutine_stack.state
    entered = None
    if type(callee) is FunctionType:
        if state.steps_into(callee):
            entered = state.frame(callee, args, keywords, frame.coroutine_stack)
    elif callee is builtins.__build_class__:
        frame.stack.append(build_class(frame, *args, **keywords))
        return None
    elif _is_plain_class(callee) and state.steps_into(callee.__init__):
        instance = object.__new__(callee)
        entered = state.frame(
            callee.__init__,
            [instance, *args],
            keywords,
            frame.coroutine_stack,
            finish=lambda value: _initialised(instance, value),
        )
    if entered is not None:
        state.enter()
        return Enter(entered)
    value = call_frame_builtin(callee, frame, args, keywords)
    if value is NULL:
        # Also if the arguments do not fit: CPython raises the error.
        value = native_call(frame, callee, args, keywords)
    frame.stack.append(value)
    return None


def _is_plain_class(value: Any) -> bool:
    """Return whether calling `value` only creates an object and calls ``__init__``."""
    if type(value) is not type:
        return False
    kind: Any = value
    plain = kind.__new__ is object.__new__ and not kind.__flags__ & _IS_ABSTRACT
    return plain and type(in_class(kind, "__init__")) is FunctionType


_IS_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT


def _initialised(instance: Any, value: Any) -> Any:
    if value is not None:
        raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
    return instance


def kw_names(frame: Frame, instruction: DecodedInstruction) -> None:
    """Save the names of the next call's keyword arguments (3.11, 3.12)."""
    frame.keyword_names = frame.code.co_consts[instruction.arg]


def call_kw(frame: Frame, instruction: DecodedInstruction) -> Enter | None:
    """Call with keyword arguments; their names are on top (3.13)."""
    frame.keyword_names = frame.stack.pop()
    return call_positional(frame, instruction)


def call_positional(frame: Frame, instruction: DecodedInstruction) -> Enter | None:
    """Call a function with NULL, or a method with ``self``, and the arguments above them."""
    names = frame.keyword_names
    frame.keyword_names = ()
    args = pop_many(frame, instruction.arg)
    instance = frame.stack.pop()
    function = frame.stack.pop()
    if function is NULL:  # until 3.12 NULL is below the function
        function, instance = instance, NULL
    if instance is not NULL:
        args = [instance, *args]
    first = len(args) - len(names)
    return call(frame, function, args[:first], dict(zip(names, args[first:], strict=True)))


def call_function_ex(frame: Frame, instruction: DecodedInstruction) -> Enter | None:
    """Call with an iterable of arguments and a mapping of keyword arguments, if there is one."""
    # Until 3.13 bit 0 of the argument tells if there is a mapping; then NULL is in its place.
    has_mapping = sys.version_info >= (3, 14) or instruction.arg & 1
    keywords = frame.stack.pop() if has_mapping else NULL
    if keywords is NULL:
        keywords = {}
    args = frame.stack.pop()
    function = frame.stack.pop()
    other = frame.stack.pop()
    if function is NULL:  # 3.13 pushes the function below the NULL
        function = other
    kind = type(args)
    if in_class(kind, "__iter__") is NULL and in_class(kind, "__getitem__") is NULL:
        function(*args, **keywords)  # CPython raises an error that names the function
    return call(frame, function, [*args], keywords)


# Functions


def make_function(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a code object and the function's attributes, push the function (3.11, 3.12)."""
    code: CodeType = frame.stack.pop()
    closure = frame.stack.pop() if instruction.arg & 8 else None
    function = FunctionType(code, frame.globals, closure=closure)
    if instruction.arg & 4:
        function.__annotations__ = _pairs(frame.stack.pop())
    if instruction.arg & 2:
        function.__kwdefaults__ = frame.stack.pop()
    if instruction.arg & 1:
        function.__defaults__ = frame.stack.pop()
    frame.stack.append(function)


def make_plain_function(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a code object, push the function; SET_FUNCTION_ATTRIBUTE follows (3.13)."""
    code: CodeType = frame.stack.pop()
    # The constructor requires cells; SET_FUNCTION_ATTRIBUTE replaces these empty ones.
    cells = tuple(CellType() for _ in code.co_freevars)
    frame.stack.append(FunctionType(code, frame.globals, closure=cells))


def set_function_attribute(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a function and, below it, one of its attributes; set it, push the function (3.13)."""
    function: FunctionType = frame.stack.pop()
    value = frame.stack.pop()
    if instruction.arg == 8:
        # Python code cannot set a closure, so copy the function; nothing refers to it yet.
        copy = FunctionType(function.__code__, function.__globals__, closure=value)
        if sys.version_info >= (3, 14):
            copy.__annotate__ = function.__annotate__
        else:
            copy.__annotations__ = function.__annotations__
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__defaults__ = function.__defaults__
        function = copy
    elif instruction.arg == _ANNOTATE:
        function.__annotate__ = value  # type: ignore[attr-defined]
    elif instruction.arg == 4:
        function.__annotations__ = _pairs(value)
    elif instruction.arg == 2:
        function.__kwdefaults__ = value
    else:
        function.__defaults__ = value
    frame.stack.append(function)


_ANNOTATE = 16
"""Flag of a function that computes the annotations on request (PEP 649, 3.14)."""


def _pairs(parts: tuple[Any, ...]) -> dict[str, Any]:
    """Return a dictionary from alternating names and annotations."""
    return dict(zip(parts[::2], parts[1::2], strict=True))
