"""Real generator objects whose bodies the machine runs."""

from __future__ import annotations

import sys
from collections.abc import Generator
from types import GeneratorType
from typing import Any

from hpml.bytecode.machine import tracebacks
from hpml.bytecode.machine.interpreter import run, unwind
from hpml.bytecode.machine.state import CoroutineStack, Frame, Reraise, Return, Yield
from hpml.bytecode.plain_attributes import context_of, returned_by, set_context, unchanged

_YIELD_FROM = 2
"""The lowest two bits of RESUME's argument after a ``yield from``."""

_OUTSIDE_TRY = 4 if sys.version_info < (3, 15) else 8
"""Bit of RESUME's argument outside all ``try`` blocks, from 3.13 on."""


def start(frame: Frame) -> Any:
    """Return the generator whose body is `frame`, past its first instructions."""
    stack = frame.coroutine_stack = CoroutineStack(frame.coroutine_stack.state)
    generator: Any = _generator(stack, frame)
    generator.__name__ = frame.function.__name__
    generator.__qualname__ = frame.name
    return generator


def _generator(coroutine_stack: CoroutineStack, frame: Frame) -> Generator[Any, Any, Any]:
    value, thrown = None, None
    while True:
        outcome = _resume(coroutine_stack, frame, value, thrown)
        value = thrown = None
        if isinstance(outcome, Return):
            return outcome.value
        if isinstance(outcome, Reraise):
            del frame  # the traceback of the error would keep its variables alive
            with unchanged(outcome.error, sys.exc_info()[1]):
                raise outcome.error
        # No local variable may keep the yielded value alive while the generator is suspended.
        produced = [outcome.value]
        del outcome
        try:
            value = yield produced.pop()
        except BaseException as received:  # noqa: BLE001 - thrown into the body
            thrown = received


def _resume(
    coroutine_stack: CoroutineStack, frame: Frame, value: Any, thrown: BaseException | None
) -> Return | Yield | Reraise:
    """Run the body until it yields or ends."""
    state = coroutine_stack.state
    if thrown is not None:
        tracebacks.clean(thrown)
        if state.stopped:
            return Reraise(thrown)
    coroutine_stack.push(frame)
    try:
        if thrown is None:
            frame.stack.append(value)
        else:
            outcome = _throw(coroutine_stack, frame, thrown)
            if outcome is not None:
                return outcome
        return run(coroutine_stack)
    finally:
        # After a return or an exception the frame is popped already.
        if coroutine_stack.frames:
            coroutine_stack.frames.clear()
            state.depth -= 1


def _throw(
    coroutine_stack: CoroutineStack, frame: Frame, error: BaseException
) -> Yield | Reraise | None:
    """Raise `error` in the suspended body (PEP 380); return its outcome if it need not run."""
    following = frame.decoded.instructions[frame.index]
    if following.opname == "RESUME" and following.arg & 3 == _YIELD_FROM:
        inner = frame.stack[-2 if sys.version_info >= (3, 15) else -1]
        try:
            yielded = _throw_into(inner, error)
        except BaseException as raised:  # noqa: BLE001 - whatever the inner generator raises
            error = raised
        else:
            if yielded is not None:
                return yielded
        tracebacks.clean(error)
        if _ends_loop(frame, error):
            return None
    if issubclass(type(error), GeneratorExit) and following.arg & _OUTSIDE_TRY:
        # Nothing here can catch it: from 3.13 on CPython ends the generator at once.
        tracebacks.add_entry(error, frame, with_variables=False)
        return Reraise(error)
    frame.stack.append(None)  # instead of a sent value
    handled = coroutine_stack.handled
    if handled is not None and handled is not error and context_of(error) is None:
        set_context(error, handled)
    return None if unwind(coroutine_stack, error, in_traceback=False) else Reraise(error)


def _throw_into(inner: Any, error: BaseException) -> Yield | None:
    """Throw `error` into the inner iterator; return what it yields, or None if it has no throw."""
    if issubclass(type(error), GeneratorExit):
        close = getattr(inner, "close", None)
        if close is not None:
            close()
        return None
    if isinstance(inner, GeneratorType):
        return Yield(inner.throw(error))
    throw = getattr(inner, "throw", None)
    return None if throw is None else Yield(throw(error))


def _ends_loop(frame: Frame, error: BaseException) -> bool:
    """Leave the loop of a ``yield from`` on 3.11; from 3.12 on CLEANUP_THROW does it."""
    instructions = frame.decoded.instructions
    send = instructions[frame.index - 2]
    if send.opname != "SEND" or instructions[send.target].opname == "END_SEND":
        return False
    frame.stack.pop()
    frame.current = instructions[send.target - 1]
    if not issubclass(type(error), StopIteration):
        return False
    frame.stack.append(returned_by(error))
    frame.index = send.target
    return True
