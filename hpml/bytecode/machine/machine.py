"""The stack machine: runs functions from the bytecode that this CPython compiled."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError, StepLimitError
from hpml.bytecode.machine import interpreter
from hpml.bytecode.machine.decode import decode
from hpml.bytecode.machine.recorder import Recorder, raised_text
from hpml.bytecode.machine.state import ASYNC, CoroutineStack, MachineState, Reraise
from hpml.bytecode.machine.trace import Raised, Trace
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.safe_repr import short

__builtins__ = BUILTINS

RUN_LIMIT = 100_000_000
TRACE_LIMIT = 100_000


class Machine:
    """A stack machine with its options.

    Args:
        max_steps: how many instructions a run may take.
        same_module: whether to step into the functions of the first function's module only, and
            not into all Python functions that the program calls.

    Functions that are not stepped into, everything written in C, and whatever C code calls back
    (the ``key`` of ``sorted``, an ``__add__``, a property) are executed by CPython within one
    instruction. What looks at the stack of calls from there (``inspect.stack``, the line of a
    warning) sees the machine, and so does what watches execution (`sys.settrace`) or looks into a
    generator (``gi_frame``, ``gi_yieldfrom``).

    Exceptions have no traceback: ``__traceback__`` is None, and what `traceback` prints of them has
    no lines; ``__exit__`` gets a traceback without them. So the variables of a call that an
    exception leaves are freed at once, where CPython keeps them until the exception is handled.

    Async code, ``except*``, template strings and type aliases are refused by name. ``locals()``
    returns a new dictionary each time, as from 3.13 on; `exec` passes no ``__future__`` on.

    A program that meets the limit leaves through its ``finally`` and ``with`` blocks, with a few
    more steps for them; then the limit is reported. Steps that another thread takes are not
    recorded. Not modelled: `sys.getrefcount` counts references of the machine as well; a signal
    handler may interrupt the machine itself, so that its exception can leave the program without
    passing its ``finally``; nested generators reach the recursion limit earlier; a ``__repr__``
    that prints is heard while a trace is recorded.

    >>> Machine(max_steps=1000).trace(sum, [1, 2])
    Traceback (most recent call last):
    hpml.bytecode.errors.BytecodeError: The stack machine runs Python functions, and <built-in ...
    >>> def forever():
    ...     while True:
    ...         pass
    >>> Machine(max_steps=1000).trace(forever)
    Traceback (most recent call last):
    hpml.bytecode.errors.StepLimitError: The program did not end within 1,000 instructions. ...
    """

    def __init__(self, *, max_steps: int = TRACE_LIMIT, same_module: bool = False) -> None:
        if type(max_steps) is not int or max_steps < 1:
            raise BytecodeError(f"max_steps is {describe(max_steps)}; pass a whole number above 0.")
        self.max_steps = max_steps
        self.same_module = same_module

    def trace(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Trace:
        """Return every step of ``function(*args, **keywords)``.

        An exception of the program is in the trace and not raised.

        Raises:
            BytecodeError: if `function` is no Python function, or async.
            StepLimitError: if it takes more than `max_steps` instructions; its attribute ``trace``
                holds the steps until then.
            UnknownOpcodeError: if it has an instruction that the machine lacks.
        """
        plain, first = _plain(function)
        recorder = Recorder()
        state = MachineState(self.max_steps, self._predicate(plain), decode, recorder)
        try:
            with recorder.listening():
                outcome = call(state, plain, [*first, *args], keywords)
            if state.limit is not None:
                raise state.limit_error()
        except StepLimitError as error:
            error.trace = _trace(plain, recorder, None, None)
            raise
        # A generator that is left may run on, unrecorded.
        state.end_recording(RUN_LIMIT)
        if isinstance(outcome, Reraise):
            if isinstance(outcome.error, KeyboardInterrupt):
                raise outcome.error  # the user pressed stop
            return _trace(plain, recorder, None, raised_text(outcome.error))
        return _trace(plain, recorder, short(outcome.value), None)

    def _predicate(self, function: FunctionType) -> Callable[[FunctionType], bool]:
        if self.same_module:
            return lambda other: other.__globals__ is function.__globals__
        return lambda other: True


def trace(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Trace:
    """Return every step of ``function(*args, **keywords)``, executed by the stack machine.

    >>> def lecture(a, b, c):
    ...     d = a + b * c
    ...     return d
    >>> steps = trace(lecture, 2, 3, 4)
    >>> [step.stack_after for step in steps if step.opname == "BINARY_OP"]
    [('2', '12'), ('14',)]
    >>> steps.value
    '14'

    Raises:
        BytecodeError: as `Machine.trace` does.
    """
    return Machine().trace(function, *args, **keywords)


def _plain(function: object) -> tuple[FunctionType, tuple[Any, ...]]:
    """Return the Python function behind `function`, and the arguments that come with it."""
    first: tuple[Any, ...] = ()
    plain = function
    if isinstance(plain, MethodType):
        first, plain = (plain.__self__,), plain.__func__
    if not isinstance(plain, FunctionType):
        raise BytecodeError(
            f"The stack machine runs Python functions, and {describe(function)} is not one. To run "
            "something else, wrap the call: trace(lambda: ...)."
        )
    if plain.__code__.co_flags & ASYNC:
        raise BytecodeError(
            f"{plain.__qualname__} is async, and the stack machine has no event loop to run it. "
            "Pass an ordinary function."
        )
    return plain, first


def call(
    state: MachineState, function: FunctionType, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Interpret a call of `function`; return how its frame ended."""
    stack = CoroutineStack(state)
    frame = state.frame(function, args, keywords, stack)
    if frame is None:
        function(*args, **keywords)  # CPython words what is wrong with the arguments
        raise BytecodeError(f"The arguments of {function.__qualname__} could not be bound.")
    stack.push(frame)
    return interpreter.run(stack)


def _trace(
    function: FunctionType, recorder: Recorder, value: str | None, exception: Raised | None
) -> Trace:
    recorder.stop()
    return Trace(
        function=function.__qualname__,
        steps=tuple(step for step in recorder.steps if step is not None),
        value=value,
        exception=exception,
        printed=recorder.printed,
        file=function.__code__.co_filename,
    )
