"""The public entry points of the stack machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from hpml.base.errors import describe
from hpml.bytecode.errors import BytecodeError, StepLimitError
from hpml.bytecode.machine import interpreter, tracebacks
from hpml.bytecode.machine.decode import decode
from hpml.bytecode.machine.recorder import Recorder
from hpml.bytecode.machine.state import ASYNC, CoroutineStack, MachineState, Reraise
from hpml.bytecode.machine.trace import Raised, Trace
from hpml.bytecode.plain_attributes import unchanged

RUN_LIMIT = 100_000_000
TRACE_LIMIT = 100_000


class Machine:
    """A stack machine with its options.

    Args:
        max_steps: limit of instructions per run; by default 100,000 for `trace`, and 100 million
            for `run`.

    The machine steps into the functions of the first function's module, and into those of other
    modules that belong to no installed package: the user's files, and generated code whose
    source `linecache` has. CPython executes everything else within one instruction: libraries, C
    code, and functions of the program that C code calls (the ``key`` of ``sorted``, an ``__add__``,
    a property). `Step.ran` names the last kind. ``__enter__``, ``__exit__`` and ``__call__`` are
    stepped into.

    Exceptions have the traceback of the program: an entry for each frame that they leave, with its
    line and its variables. The entry of the frame that handles the exception has no variables.
    ``f_lineno`` is the function's first line in all of them, and ``f_back`` is None.

    Async code, ``except*``, template strings, type aliases and ``lazy import`` statements raise an
    error that names them. ``locals()`` returns a new dictionary each time, as from 3.13 on; in a
    comprehension in a class body it lacks the comprehension's own variables. `exec` does not
    inherit ``__future__`` imports.

    At the limit, the program leaves through its ``finally`` and ``with`` blocks, with extra steps
    for them; then the error is raised. Steps of other threads are not recorded. Other differences:
    code that walks up the call stack (``inspect.stack``) sees the last eight frames of the program,
    with lines and without variables, and above them the machine, as do code that watches execution
    (`sys.settrace`) or inspects a generator (``gi_frame``, ``gi_yieldfrom``), and warnings raised
    by operators; a program that replaces builtins such as ``builtins.len`` replaces them
    for the machine; `sys.getrefcount` includes references of the machine; an exception from a
    signal handler may skip the program's ``finally``; the recursion limit is reached a frame
    earlier or later, and earlier in nested generators; the output of a ``__repr__`` that prints
    appears while a trace is recorded.

    The text of an object comes from its ``__repr__``, which is called once per object and state:
    the state is the object's attributes and items, those of the objects in them, and their classes'
    attributes. A class whose methods ``__repr__`` and ``__str__`` took more than two seconds is not
    shown any more.

    >>> Machine(max_steps=1000).trace(sum, [1, 2])
    Traceback (most recent call last):
    hpml.bytecode.errors.BytecodeError: the stack machine: expected a function ...
    >>> def forever():
    ...     while True:
    ...         pass
    >>> Machine(max_steps=1000).trace(forever)
    Traceback (most recent call last):
    hpml.bytecode.errors.StepLimitError: The program did not end within 1,000 instructions. ...
    """

    def __init__(self, *, max_steps: int | None = None) -> None:
        if max_steps is not None and (type(max_steps) is not int or max_steps < 1):
            raise BytecodeError(
                object="max_steps",
                expected="a positive integer",
                received=describe(max_steps),
                remedy="Pass max_steps=1000.",
            )
        self.max_steps = max_steps

    def run(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
        """Return what ``function(*args, **keywords)`` returns, or raise what it raises.

        An exception of the program has the program's lines in its traceback, and none of the
        machine's.

        Raises:
            BytecodeError: if `function` is not a Python function, or is async.
            StepLimitError: if the run exceeds `max_steps` instructions.
            UnknownOpcodeError: if the machine does not support an instruction.
        """
        # A bare `raise` adds no entry for this frame, and the entry of the call is removed before.
        try:
            return self._run(function, args, keywords)
        except BytecodeError:
            raise
        except BaseException as error:
            tracebacks.clean(error)
            raise

    def _run(
        self, function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        plain, first = _plain(function)
        state = MachineState(self.max_steps or RUN_LIMIT, plain.__globals__, decode)
        outcome = call(state, plain, [*first, *args], keywords)
        if state.limit is not None:
            raise state.limit_error()
        if isinstance(outcome, Reraise):
            with unchanged(outcome.error, sys.exc_info()[1]):
                raise outcome.error
        return outcome.value

    def trace(self, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Trace:
        """Return every step of ``function(*args, **keywords)``.

        An exception of the program is recorded in the trace, not raised.

        Raises:
            BytecodeError: if `function` is not a Python function, or is async.
            StepLimitError: if the run exceeds `max_steps` instructions; its ``trace`` has the
                steps up to the limit.
            UnknownOpcodeError: if the machine does not support an instruction.
        """
        plain, first = _plain(function)
        recorder = Recorder(plain.__globals__)
        recorder.begin(plain, args, keywords)

        state = MachineState(self.max_steps or TRACE_LIMIT, plain.__globals__, decode, recorder)
        try:
            with recorder.listening():
                outcome = call(state, plain, [*first, *args], keywords)
            if state.limit is not None:
                raise state.limit_error()
        except StepLimitError as error:
            error.trace = _trace(plain, recorder, None, None)
            raise
        # A generator that outlives the call may run on, unrecorded.
        state.observer, state.max_steps = None, RUN_LIMIT
        if isinstance(outcome, Reraise):
            if isinstance(outcome.error, KeyboardInterrupt):
                raise outcome.error  # the user pressed stop
            return _trace(plain, recorder, None, recorder.raised_text(outcome.error))
        return _trace(plain, recorder, recorder.texts.short(outcome.value), None)


def run(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """Return what ``function(*args, **keywords)`` returns, executed by the stack machine.

    >>> def mean(*numbers):
    ...     return sum(numbers) / len(numbers)
    >>> run(mean, 1, 2, 6)
    3.0

    Raises:
        BytecodeError: as `Machine.run`.
    """
    try:
        return Machine().run(function, *args, **keywords)
    except BytecodeError:
        raise
    except BaseException as error:
        tracebacks.clean(error)
        raise


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
        BytecodeError: as `Machine.trace`.
    """
    return Machine().trace(function, *args, **keywords)


def _plain(function: object) -> tuple[FunctionType, tuple[Any, ...]]:
    """Return the Python function behind `function`, and its bound ``self`` if it is a method."""
    first: tuple[Any, ...] = ()
    plain = function
    if isinstance(plain, MethodType):
        first, plain = (plain.__self__,), plain.__func__
    if not isinstance(plain, FunctionType):
        raise BytecodeError(
            object="the stack machine",
            expected="a function written in Python",
            received=describe(function),
            remedy="To run something else, wrap the call: trace(lambda: ...).",
        )
    if plain.__code__.co_flags & ASYNC:
        raise BytecodeError(
            f"{plain.__qualname__} is async, and the stack machine has no event loop to run it.",
            object=plain.__qualname__,
            expected="an ordinary function",
            received="an async function",
            remedy="Pass an ordinary function.",
        )
    return plain, first


def call(
    state: MachineState, function: FunctionType, args: list[Any], keywords: dict[str, Any]
) -> Any:
    """Interpret a call of `function`; return the outcome of its frame."""
    stack = CoroutineStack(state)
    frame = state.frame(function, args, keywords, stack)
    if frame is None:
        function(*args, **keywords)  # CPython raises its own error
        raise BytecodeError(
            object=f"arguments of {function.__qualname__}",
            expected="those of its signature",
            received="others, which CPython accepts",
            remedy="Report this call as an error of the stack machine.",
        )
    stack.push(frame)
    return interpreter.run(stack)


def _trace(
    function: FunctionType, recorder: Recorder, value: str | None, exception: Raised | None
) -> Trace:
    recorder.stop()
    return Trace(
        function=function.__qualname__,
        call=recorder.call,
        steps=tuple(step for step in recorder.steps if step is not None),
        value=value,
        exception=exception,
        printed=recorder.printed,
        file=function.__code__.co_filename,
    )
