"""Builtins that read the frame of their caller.

Under the machine, ``locals()``, ``super()`` and a few more would read a frame of the machine, so
they are computed here from the interpreted frame. `sys._getframe` and `warnings.warn` are not
covered: they see the frames of the machine.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import CellType
from typing import Any

from hpml.bytecode.machine.opcodes.names import contents
from hpml.bytecode.machine.state import Frame, native_call
from hpml.bytecode.null import NULL


def call_frame_builtin(
    function: Any, frame: Frame, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Return the value of the call if `function` is such a builtin, and NULL otherwise."""
    replacement = _REPLACEMENTS.get(id(function))
    return NULL if replacement is None else replacement(frame, args, keywords)


def _locals(frame: Frame) -> Any:
    if frame.namespace is not None:
        return frame.namespace
    local, cells = frame.variables()
    return local | cells


def _super(frame: Frame) -> Any:
    names = frame.decoded.slot_names
    if not frame.code.co_argcount:
        raise RuntimeError("super(): no arguments")
    instance = frame.slots[0]
    if type(instance) is CellType and names[0] in frame.decoded.cell_names:
        instance = contents(frame, 0)
    if instance is NULL:
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in frame.code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    owner = contents(frame, len(names) - 1 - frame.code.co_freevars[::-1].index("__class__"))
    if owner is NULL:
        raise RuntimeError("super(): empty __class__ cell")
    return super(owner, instance)


def _without_arguments(function: Callable[[Frame], Any]) -> Callable[..., Any]:
    return lambda frame, args, keywords: NULL if args or keywords else function(frame)


def _evaluate(function: Callable[..., Any]) -> Callable[..., Any]:
    def replacement(frame: Frame, args: list[Any], keywords: dict[str, Any]) -> Any:
        has_globals = len(args) > 1 or "globals" in keywords
        if not args or (has_globals and (args[1:2] or [keywords.get("globals")])[0] is not None):
            return NULL
        local = args[2] if len(args) > 2 else keywords.get("locals")
        rest = {name: value for name, value in keywords.items() if name == "closure"}
        namespace = _locals(frame) if local is None else local
        return native_call(frame, function, [args[0], frame.globals, namespace], rest)

    return replacement


_REPLACEMENTS: dict[int, Callable[[Frame, list[Any], dict[str, Any]], Any]] = {
    id(super): _without_arguments(_super),
    id(locals): _without_arguments(_locals),
    id(globals): _without_arguments(lambda frame: frame.globals),
    id(vars): _without_arguments(_locals),
    id(dir): _without_arguments(lambda frame: sorted(_locals(frame))),
    id(eval): _evaluate(builtins.eval),
    id(exec): _evaluate(builtins.exec),
}
