"""The loop: fetch the next operation, execute it, go on where it says.

A `Strand` is one line of control: the frames of a call and of what it calls, or the frame of one
generator. Calls among interpreted functions are frames on a list and not recursion of the machine,
so that a program that recurses too deep meets its own limit.

An exception is an ordinary value here. When an operation raises, the exception table of its code
object says where the handler is; without one the frame ends and its caller raises, and so on.
While a program handles an exception, `Strand.handled` holds it, and its operations are executed
inside an ``except`` block for that exception: so `sys.exc_info`, a bare ``raise`` and the
``__context__`` of new exceptions are what they would be without the machine.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hpml.bytecode import tracebacks
from hpml.bytecode.errors import StepLimitError, UnknownOpcodeError
from hpml.bytecode.frame import Enter, Frame, Handler, Reraise, Return, Signal, Yield

if TYPE_CHECKING:
    from hpml.bytecode.execution import Execution
    from hpml.bytecode.program import Operation

__all__ = ["Strand"]

_OURS = (StepLimitError, UnknownOpcodeError)


class Strand:
    """One line of control.

    Attributes:
        execution: what it belongs to.
        frames: the calls in progress, the innermost last.
        handled: the exception that the program is handling, or None.
    """

    def __init__(self, execution: Execution) -> None:
        self.execution = execution
        self.frames: list[Frame] = []
        self.handled: BaseException | None = None

    def run(self) -> Return | Yield | Reraise:
        """Run until the first frame returns, yields or raises; say which."""
        # The list of strands and the recorder follow one line of control: that of the own thread.
        running = self.execution.running if self.execution.in_own_thread() else []
        running.append(self)
        try:
            while True:
                in_traceback = False
                try:
                    signal = self._until_signal()
                    if not isinstance(signal, Reraise):
                        return signal
                    error, in_traceback = signal.error, True
                    del signal
                except _OURS:
                    self.execution.stopped = True
                    raise
                except BaseException as caught:  # noqa: BLE001 - whatever the program raises
                    error = caught
                # Out of the `except` block: nothing must count as handled by the machine itself.
                if not in_traceback:
                    tracebacks.clean(error)
                if not self._raise(error, in_traceback=in_traceback):
                    return Reraise(error)
                del error  # it lives as long as the program wants, and not until the next one
        finally:
            running.pop()

    def _until_signal(self) -> Return | Yield | Reraise:
        """Execute operations until one ends or leaves the first frame, or raises."""
        execution = self.execution
        recorder = execution.recorder if execution.in_own_thread() else None
        frames = self.frames
        frame = frames[-1]
        operations = frame.program.operations
        while True:
            operation = operations[frame.index]
            frame.index += 1
            frame.current = operation
            execution.steps += 1
            if execution.steps > execution.max_steps:
                execution.refuse_more_steps()
            if recorder is not None:
                recorder.before(frame)
            if self.handled is None:
                signal = operation.handler(frame, operation)
            else:
                signal = _while_handling(self.handled, operation.handler, frame, operation)
            if recorder is not None:
                recorder.after(frame, signal)
            if signal is None:
                continue
            if type(signal) is Enter:
                frames.append(signal.frame)
            elif type(signal) is Return:
                frames.pop()
                execution.depth -= 1
                if not frames:
                    return signal
                # No local variable for the value: it would live longer than the program lets it.
                finish = frame.finish
                frames[-1].stack.append(signal.value if finish is None else finish(signal.value))
                finish = None
            else:
                return signal  # type: ignore[return-value]
            frame = frames[-1]
            operations = frame.program.operations

    def unwind(self, error: BaseException, *, in_traceback: bool) -> bool:
        """Leave frames until one has a handler for `error`; return whether there is one.

        Args:
            error: what was raised.
            in_traceback: whether its traceback has an entry for the innermost frame already.
        """
        while self.frames:
            frame = self.frames[-1]
            if not in_traceback:
                tracebacks.add(error, frame)
            in_traceback = False
            guard = frame.current.guard
            if guard is not None:
                del frame.stack[guard.depth :]
                if frame.current.guard_keeps_offset:
                    frame.stack.append(frame.current.offset)
                frame.stack.append(error)
                frame.index = frame.current.guard_target
                return True
            frame.stack.clear()
            self.frames.pop()
            self.execution.depth -= 1
        return False

    def _raise(self, error: BaseException, *, in_traceback: bool) -> bool:
        """Go to the handler of an exception that an operation raised, and write the step down."""
        frame = self.frames[-1]
        caught = self.unwind(error, in_traceback=in_traceback)
        recorder = self.execution.recorder
        if recorder is not None and self.execution.in_own_thread():
            recorder.raised(frame, error)
        return caught


def _while_handling(
    handled: BaseException, handler: Handler, frame: Frame, operation: Operation
) -> Signal | None:
    """Execute `operation` with `handled` as the exception that is being handled."""
    context, traceback = handled.__context__, handled.__traceback__
    try:
        raise handled
    except BaseException:  # noqa: BLE001 - `handled` itself, of any type
        # Raising it here is no event of the program: put back what raising changed.
        if sys.exc_info()[1] is handled:
            handled.__context__, handled.__traceback__ = context, traceback
        return handler(frame, operation)
