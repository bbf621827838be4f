"""Calls in every form, and the creation of functions."""

from __future__ import annotations

import builtins
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from hpml.bytecode.caller import about_caller
from hpml.bytecode.frame import NULL, Enter
from hpml.bytecode.opcodes.classes import build_class
from hpml.bytecode.opcodes.containers import pop_many

if TYPE_CHECKING:
    from hpml.bytecode.frame import Frame
    from hpml.bytecode.program import Operation


def call(frame: Frame, function: Any, args: list[Any], keywords: dict[str, Any]) -> Enter | None:
    """Call `function`: step into it, or let CPython execute it and push the result."""
    callee = function
    if type(callee) is MethodType:
        args = [callee.__self__, *args]
        callee = callee.__func__
    execution = frame.strand.execution
    entered = None
    if type(callee) is FunctionType:
        if execution.steps_into(callee):
            entered = execution.frame(callee, args, keywords, frame.strand)
    elif callee is builtins.__build_class__:
        frame.stack.append(build_class(frame, *args, **keywords))
        return None
    elif _is_plain_class(callee) and execution.steps_into(callee.__init__):
        instance = object.__new__(callee)
        entered = execution.frame(
            callee.__init__,
            [instance, *args],
            keywords,
            frame.strand,
            finish=lambda value: _initialised(instance, value),
        )
    if entered is not None:
        execution.enter()
        return Enter(entered)
    answer = about_caller(callee, frame, args, keywords)
    if answer is NULL:
        # Arguments that do not fit end here as well: CPython words the error.
        answer = execution.native_call(frame)(callee, args, keywords)
    frame.stack.append(answer)
    return None


def _is_plain_class(value: Any) -> bool:
    """Return whether calling `value` does no more than create an object and call ``__init__``."""
    if type(value) is not type:
        return False
    kind: Any = value
    plain = kind.__new__ is object.__new__ and not kind.__flags__ & _IS_ABSTRACT
    return plain and type(_in_class(kind, "__init__")) is FunctionType


def _in_class(kind: Any, name: str) -> Any:
    """Return what the class defines under `name`, unbound: it may be a static or class method."""
    return next(owner.__dict__[name] for owner in kind.__mro__ if name in owner.__dict__)


_IS_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT


def _initialised(instance: Any, value: Any) -> Any:
    if value is not None:
        raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
    return instance


def kw_names(frame: Frame, operation: Operation) -> None:
    """Keep the names of the next call's keyword arguments (3.11, 3.12)."""
    frame.keyword_names = frame.code.co_consts[operation.arg]


def call_with_function_above(frame: Frame, operation: Operation) -> Enter | None:
    """Call: on the stack are NULL and a function, or a method and ``self`` (3.11, 3.12)."""
    names = frame.keyword_names
    frame.keyword_names = ()
    args = pop_many(frame, operation.arg)
    second = frame.stack.pop()
    first = frame.stack.pop()
    if first is NULL:
        return _call_named(frame, second, args, names)
    return _call_named(frame, first, [second, *args], names)


def call_with_function_below(frame: Frame, operation: Operation) -> Enter | None:
    """Call: on the stack are a function and NULL, or a method and ``self`` (3.13)."""
    return _call_below(frame, operation, ())


def call_kw(frame: Frame, operation: Operation) -> Enter | None:
    """Call with keyword arguments, whose names are on top (3.13)."""
    names = frame.stack.pop()
    return _call_below(frame, operation, names)


def _call_below(frame: Frame, operation: Operation, names: tuple[str, ...]) -> Enter | None:
    args = pop_many(frame, operation.arg)
    instance = frame.stack.pop()
    function = frame.stack.pop()
    if instance is not NULL:
        args = [instance, *args]
    return _call_named(frame, function, args, names)


def _call_named(
    frame: Frame, function: Any, args: list[Any], names: tuple[str, ...]
) -> Enter | None:
    """Call with the last arguments going to the parameters `names`."""
    if not names:
        return call(frame, function, args, {})
    first = len(args) - len(names)
    return call(frame, function, args[:first], dict(zip(names, args[first:], strict=True)))


def call_function_ex(frame: Frame, operation: Operation) -> Enter | None:
    """Call with an iterable of arguments and, if 1 is set, a mapping of keyword arguments."""
    keywords = frame.stack.pop() if operation.arg & 1 else {}
    args = frame.stack.pop()
    function = frame.stack.pop()
    other = frame.stack.pop()
    if function is NULL:  # 3.13 has the function below the NULL
        function = other
    kind = type(args)
    if not hasattr(kind, "__iter__") and not hasattr(kind, "__getitem__"):
        function(*args, **keywords)  # CPython words the error, which names the function
    return call(frame, function, [*args], keywords)


# Functions


def make_function(frame: Frame, operation: Operation) -> None:
    """Pop a code object and what comes with it, push the function (3.11, 3.12)."""
    code: CodeType = frame.stack.pop()
    closure = frame.stack.pop() if operation.arg & 8 else None
    function = FunctionType(code, frame.globals, closure=closure)
    if operation.arg & 4:
        function.__annotations__ = _pairs(frame.stack.pop())
    if operation.arg & 2:
        function.__kwdefaults__ = frame.stack.pop()
    if operation.arg & 1:
        function.__defaults__ = frame.stack.pop()
    frame.stack.append(function)


def make_plain_function(frame: Frame, operation: Operation) -> None:
    """Pop a code object, push the function; what comes with it follows (3.13)."""
    code: CodeType = frame.stack.pop()
    # A function cannot be without its cells: it has empty ones until it gets its own.
    cells = tuple(CellType() for _ in code.co_freevars)
    frame.stack.append(FunctionType(code, frame.globals, closure=cells))


def set_function_attribute(frame: Frame, operation: Operation) -> None:
    """Pop a function and, below it, its closure, annotations or defaults (3.13)."""
    function: FunctionType = frame.stack.pop()
    value = frame.stack.pop()
    if operation.arg == 8:
        # Python code cannot replace a closure; nobody else has seen this function yet.
        made = FunctionType(function.__code__, function.__globals__, closure=value)
        made.__annotations__ = function.__annotations__
        made.__kwdefaults__ = function.__kwdefaults__
        made.__defaults__ = function.__defaults__
        function = made
    elif operation.arg == 4:
        function.__annotations__ = _pairs(value)
    elif operation.arg == 2:
        function.__kwdefaults__ = value
    else:
        function.__defaults__ = value
    frame.stack.append(function)


def _pairs(parts: tuple[Any, ...]) -> dict[str, Any]:
    """Return the dictionary of names and annotations that lie in turn in `parts`."""
    return dict(zip(parts[::2], parts[1::2], strict=True))
