"""Builtins that look at the function which calls them.

``locals()``, ``super()`` and a few more find their caller's frame. Under the machine they would
find the machine's, so their calls are answered here, from the interpreted frame.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from collections.abc import Callable
from types import CellType, FrameType
from typing import Any

from hpml.bytecode.machine import tracebacks
from hpml.bytecode.machine.state import Frame
from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import BUILTINS, is_ours

__builtins__ = BUILTINS


def answer_from_frame(
    function: Any, frame: Frame, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Return the value of the call if `function` is such a builtin, and NULL otherwise."""
    answer = _ANSWERS.get(id(function))
    return NULL if answer is None else answer(frame, args, keywords)


def _locals(frame: Frame) -> Any:
    if frame.namespace is not None:
        return frame.namespace
    variables = frame.named_variables()
    if sys.version_info >= (3, 13):
        return variables
    # One dictionary for the whole call, where names that are no variables stay (PEP 667).
    for name in frame.decoded.slot_names:
        if name not in variables:
            frame.snapshot.pop(name, None)
    frame.snapshot.update(variables)
    return frame.snapshot


def _super(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    if args or keywords:
        return NULL
    names = frame.decoded.slot_names
    if not frame.code.co_argcount:
        raise RuntimeError("super(): no arguments")
    instance = frame.slots[0]
    if type(instance) is CellType and names[0] in frame.decoded.cell_names:
        instance = _contents(instance)
    if instance is NULL:
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in frame.code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    cell = frame.slots[len(names) - 1 - frame.code.co_freevars[::-1].index("__class__")]
    owner = _contents(cell)
    if owner is NULL:
        raise RuntimeError("super(): empty __class__ cell")
    return super(owner, instance)


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NULL


def _vars(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    return NULL if args or keywords else _locals(frame)


def _dir(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    return NULL if args or keywords else sorted(_locals(frame))


def _evaluate(function: Callable[..., Any]) -> Callable[..., Any]:
    def answer(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
        globals_given = len(args) > 1 or "globals" in keywords
        if not args or (globals_given and (args[1:2] or [keywords.get("globals")])[0] is not None):
            return NULL
        local = args[2] if len(args) > 2 else keywords.get("locals")
        rest = {name: value for name, value in keywords.items() if name == "closure"}
        space = _locals(frame) if local is None else local
        call = frame.coroutine_stack.state.native_call(frame)
        return call(function, [args[0], frame.globals, space], rest)

    return answer


def _get_frame(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) > 1 or not all(type(depth) is int for depth in args):
        return NULL
    found = _caller(frame, args[0] if args else 0)
    if isinstance(found, FrameType):
        return found
    frames = frame.coroutine_stack.state.frames()
    return tracebacks.stack_frame(frames[: frames.index(found) + 1])


def _get_module_name(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    if keywords or len(args) > 1 or not all(type(depth) is int for depth in args):
        return NULL
    try:
        found = _caller(frame, args[0] if args else 0)
    except ValueError:
        return None
    variables = found.f_globals if isinstance(found, FrameType) else found.globals
    return variables.get("__name__")


def _warn(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Warn about the line of the program, `stacklevel` calls out, and not about a line of ours."""
    given = dict(zip(("message", "category", "stacklevel", "source"), args, strict=False))
    given |= keywords
    message, category = given.get("message"), given.get("category")
    if isinstance(message, Warning):
        category = type(message)
    try:
        found = _caller(frame, given.get("stacklevel", 1) - 1)
    except (TypeError, ValueError):
        return NULL
    if not isinstance(category or UserWarning, type):
        return NULL
    if isinstance(found, FrameType):
        file, line, space = found.f_code.co_filename, found.f_lineno, found.f_globals
    else:
        file, line, space = found.code.co_filename, found.current.line, found.globals
    warn_explicit: Any = warnings.warn_explicit
    warn_explicit(
        message,
        category or UserWarning,
        file,
        line or 0,
        module=space.get("__name__"),
        registry=space.setdefault("__warningregistry__", {}),
        source=given.get("source"),
    )
    return None


def _caller(frame: Frame, depth: int) -> Frame | FrameType:
    """Return the frame `depth` calls out from `frame`: interpreted, or further out a real one."""
    frames = frame.coroutine_stack.state.frames()
    inner = len(frames) - 1 - max(depth, 0)
    if inner >= 0:
        return frames[inner]
    outside: FrameType | None = sys._getframe()
    left = -inner
    while outside is not None:
        if not is_ours(outside):
            left -= 1
            if left == 0:
                return outside
        outside = outside.f_back
    raise ValueError("call stack is not deep enough")


_ANSWERS: dict[int, Callable[[Frame, list[Any], dict[str, Any]], Any]] = {
    id(super): _super,
    id(locals): lambda frame, args, keywords: NULL if args or keywords else _locals(frame),
    id(globals): lambda frame, args, keywords: NULL if args or keywords else frame.globals,
    id(vars): _vars,
    id(dir): _dir,
    id(eval): _evaluate(builtins.eval),
    id(exec): _evaluate(builtins.exec),
    id(sys._getframe): _get_frame,
    id(warnings.warn): _warn,
}
if hasattr(sys, "_getframemodulename"):  # since 3.12
    _ANSWERS[id(sys._getframemodulename)] = _get_module_name
