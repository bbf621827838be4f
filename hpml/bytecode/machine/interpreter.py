"""The interpreter loop: fetch the next instruction, execute it, continue at its successor.

Calls among interpreted functions are frames on a list, not recursion of the machine. While the
program handles an exception, the machine executes instructions inside an ``except`` block for it:
`sys.exc_info`, a bare ``raise`` and the ``__context__`` of new exceptions behave as in CPython.
"""

from __future__ import annotations

import sys

from hpml.bytecode.errors import StepLimitError, UnknownOpcodeError
from hpml.bytecode.machine import tracebacks
from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import (
    CoroutineStack,
    Enter,
    Frame,
    Handler,
    Reraise,
    Return,
    Signal,
    Yield,
)
from hpml.bytecode.plain_attributes import unchanged

_MACHINE_ERRORS = (StepLimitError, UnknownOpcodeError)


def run(stack: CoroutineStack) -> Return | Yield | Reraise:
    """Run until the first frame returns, yields or raises; return that outcome."""
    while True:
        in_traceback = False
        try:
            signal = _until_signal(stack)
            if not isinstance(signal, Reraise):
                return signal
            error, in_traceback = signal.error, True
            del signal
        except _MACHINE_ERRORS:
            stack.state.stopped = True
            raise
        except BaseException as caught:  # noqa: BLE001 - whatever the program raises
            error = caught
        # Outside the `except` block, or `sys.exc_info` would show the program this exception.
        if not in_traceback:
            tracebacks.clean(error)
        if not _raise(stack, error, in_traceback=in_traceback):
            return Reraise(error)
        del error  # or the machine would keep it alive until the next one


def _until_signal(stack: CoroutineStack) -> Return | Yield | Reraise:
    """Execute instructions until the first frame returns or yields, or an exception is raised."""
    state = stack.state
    observer = state.observer if state.in_run_thread() else None
    frames = stack.frames
    frame = frames[-1]
    instructions = frame.decoded.instructions
    while True:
        instruction = instructions[frame.index]
        frame.index += 1
        frame.current = instruction
        state.steps += 1
        if state.steps > state.max_steps:
            state.reach_limit()
        if observer is not None:
            observer.before(frame)
        if stack.handled is None:
            signal = instruction.handler(frame, instruction)
        else:
            signal = _while_handling(stack.handled, instruction.handler, frame, instruction)
        if observer is not None:
            observer.after(frame, signal)
        if signal is None:
            continue
        if type(signal) is Enter:
            frames.append(signal.frame)
        elif type(signal) is Return:
            frames.pop()
            state.depth -= 1
            if not frames:
                return signal
            # No local variable for the value: it would keep it alive too long.
            finish = frame.finish
            frames[-1].stack.append(signal.value if finish is None else finish(signal.value))
            finish = None
        else:
            return signal  # type: ignore[no-any-return]
        frame = frames[-1]
        instructions = frame.decoded.instructions


def unwind(stack: CoroutineStack, error: BaseException, *, in_traceback: bool) -> bool:
    """Leave frames until one has a handler for `error`; return whether there is one.

    `in_traceback` tells whether its traceback has an entry for the last frame already.
    """
    while stack.frames:
        frame = stack.frames[-1]
        guard = frame.current.guard
        if not in_traceback:
            # As in CPython, the traceback keeps the variables of frames that have ended.
            tracebacks.add_entry(error, frame, with_variables=guard is None)
        in_traceback = False
        if guard is not None:
            del frame.stack[guard.depth :]
            if guard.lasti:
                frame.stack.append(frame.current.offset)
            frame.stack.append(error)
            frame.index = frame.current.guard_target
            return True
        frame.stack.clear()
        stack.frames.pop()
        stack.state.depth -= 1
    return False


def _raise(stack: CoroutineStack, error: BaseException, *, in_traceback: bool) -> bool:
    """Unwind to the handler of `error`, and notify the observer; return whether there is one."""
    frame = stack.frames[-1]
    caught = unwind(stack, error, in_traceback=in_traceback)
    observer = stack.state.observer
    if observer is not None and stack.state.in_run_thread():
        observer.raised(frame, error)
    return caught


def _while_handling(
    handled: BaseException, handler: Handler, frame: Frame, instruction: DecodedInstruction
) -> Signal | None:
    """Execute `instruction` inside an ``except`` block for `handled`."""
    before = unchanged(handled, sys.exc_info()[1])
    try:
        raise handled
    except BaseException:  # noqa: BLE001 - `handled` itself, of any type
        if sys.exc_info()[1] is handled:
            before.restore()  # undo the effects of raising it here
        return handler(frame, instruction)
