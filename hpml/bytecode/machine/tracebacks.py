"""Tracebacks that show the student's lines and none of the machine's.

CPython adds an entry to an exception's traceback for every frame that it passes. An exception in an
interpreted function passes the machine's own frames instead; `clean` takes their entries out, and
`entry` adds one for the interpreted frame, with its function, its line and its place in the line.

An entry needs a real frame object. `entry` takes that of a generator which is created and never
started, and whose code is the interpreted function's own, cut short: its first instruction is
replaced by the one that creates a generator. So names, lines and columns are right by themselves,
and the frame has no caller, so that it keeps nothing of the machine alive.

A program that asks for its own frame (`sys._getframe`) may walk to its callers. `stack_frame` gives
it frames of functions that really call each other, one for each interpreted call.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Sequence
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from hpml.bytecode.machine.state import Frame
from hpml.bytecode.own_code import BUILTINS, is_ours
from hpml.bytecode.plain_attributes import set_traceback, traceback_of

__builtins__ = BUILTINS

_DEEPEST = 100
"""How many callers a frame has at most when a program asks for it."""

_CREATE_GENERATOR = bytes([dis.opmap["RETURN_GENERATOR"], 0])
_FUNCTION_FLAGS = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS


def clean(error: BaseException) -> None:
    """Take the machine's entries out of the traceback of `error`."""
    first = last = None
    link = traceback_of(error)
    while link is not None:
        if not is_ours(link.tb_frame):
            if last is None:
                first = link
            elif last.tb_next is not link:
                last.tb_next = link
            last = link
        link = link.tb_next
    if last is not None and last.tb_next is not None:
        last.tb_next = None
    set_traceback(error, first)


def entry(error: BaseException, frame: Frame) -> TracebackType:
    """Return the traceback of `error` with an entry for `frame`, at its current instruction."""
    line = frame.current.line
    return TracebackType(
        traceback_of(error), real_frame(frame), frame.current.offset, -1 if line is None else line
    )


def real_frame(frame: Frame) -> FrameType:
    """Return a frame object that looks like `frame` to `traceback` and to debuggers."""
    code = frame.code
    variables = frame.named_variables()
    cut_short = code.replace(
        # As long as before: the line table must not describe more code than there is.
        co_code=_CREATE_GENERATOR + code.co_code[len(_CREATE_GENERATOR) :],
        co_flags=_FUNCTION_FLAGS | inspect.CO_GENERATOR,
        co_exceptiontable=b"",
        co_varnames=tuple(variables),
        co_nlocals=len(variables),
        co_argcount=len(variables),
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_cellvars=(),
        co_freevars=(),
    )
    generator = FunctionType(cut_short, frame.globals)(*variables.values())
    found: FrameType = generator.gi_frame
    return found


def stack_frame(frames: Sequence[Frame]) -> FrameType:
    """Return a frame object for the last of `frames`; those before it are its callers."""
    following: Callable[[], Any] = sys._getframe
    for frame in reversed(frames[-_DEEPEST:]):
        following = _stand_in(frame, following)
    found: FrameType = following()
    return found


def _stand_in(frame: Frame, following: Callable[[], Any]) -> FunctionType:
    """Return a function that calls `following` from the line where `frame` stands."""
    first = frame.code.co_firstlineno
    line = max(frame.current.line or first, first)
    # Its first line and the line where it stands are those of the program.
    down, further = "\n" * (first - 1), "\n" * (line - first)
    text = f"{down}def stand_in(following):{further} return following()"
    module = compile(text, frame.code.co_filename, "exec")
    code = next(const for const in module.co_consts if isinstance(const, CodeType))
    # What it calls is a constant, so that its variables are those of the program.
    load = next(step for step in dis.get_instructions(code) if step.argval == "following")
    constant = bytes([dis.opmap["LOAD_CONST"], len(code.co_consts)])
    variables = frame.named_variables()
    relabelled = code.replace(
        co_name=frame.code.co_name,
        co_qualname=frame.code.co_qualname,
        co_code=code.co_code[: load.offset] + constant + code.co_code[load.offset + 2 :],
        co_consts=(*code.co_consts, following),
        co_varnames=tuple(variables),
        co_nlocals=len(variables),
        co_argcount=len(variables),
    )
    return FunctionType(relabelled, frame.globals, None, tuple(variables.values()))
