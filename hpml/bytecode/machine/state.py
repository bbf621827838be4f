"""The state of a run: the calls in progress, and what they share.

A `Frame` is one call of one function. Its variables lie in numbered *slots*, as in CPython: first
the parameters and other local variables, then the cells it shares with inner functions, then the
cells it got from outer ones. A slot without a value, and the marker that calls push below a
function, is ``NULL``.

Frames stand on a `CoroutineStack`: those of a call and of what it calls, or the one frame of a
generator. All stacks of a run share one `MachineState`.

Handlers of instructions get a frame and change it. Most return nothing; the few after which another
frame runs return a signal: `Enter`, `Return`, `Yield`, or `Reraise`.
"""

from __future__ import annotations
import __future__

import builtins
import inspect
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType
from typing import Any

from hpml.bytecode.errors import StepLimitError
from hpml.bytecode.machine.binding import bind
from hpml.bytecode.machine.decoded_code import DecodedCode, DecodedInstruction
from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import BUILTINS, is_our_code

__builtins__ = BUILTINS

# CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR: only an event loop can run these.
ASYNC = 0x80 | 0x100 | 0x200

_ALLOWANCE = 10_000
"""Steps beyond the limit for a program to run its ``finally`` blocks and leave its ``with``."""


class Frame:
    """One call of a function, from its first instruction to its return.

    `index` is the number of the next instruction, `current` the instruction being executed.
    `keyword_names` are left by KW_NAMES for the next CALL. `namespace` is the dictionary that a
    class body fills, None in a function. `finish` turns the returned value into that of the call.
    """

    __slots__ = (
        "builtins",
        "closure",
        "code",
        "coroutine_stack",
        "current",
        "decoded",
        "finish",
        "globals",
        "index",
        "keyword_names",
        "name",
        "namespace",
        "short_name",
        "slots",
        "stack",
    )

    def __init__(
        self,
        function: FunctionType,
        decoded: DecodedCode,
        slots: list[Any],
        coroutine_stack: CoroutineStack,
        *,
        namespace: Any = None,
        finish: Callable[[Any], Any] | None = None,
    ) -> None:
        self.code: CodeType = function.__code__
        self.name = function.__qualname__
        self.short_name = function.__name__
        self.decoded = decoded
        self.globals = function.__globals__
        self.builtins: dict[str, Any] = getattr(function, "__builtins__", vars(builtins))
        self.namespace = namespace
        self.closure: tuple[CellType, ...] = function.__closure__ or ()
        self.slots = slots
        self.stack: list[Any] = coroutine_stack.state.new_stack()
        self.index = 0
        self.current: DecodedInstruction = decoded.instructions[0]
        self.keyword_names: tuple[str, ...] = ()
        self.coroutine_stack = coroutine_stack
        self.finish = finish

    def variables(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the local variables and the cells' contents that have a value, by name."""
        local: dict[str, Any] = {}
        cells: dict[str, Any] = {}
        for name, value in zip(self.decoded.slot_names, self.slots, strict=True):
            if value is NULL:
                continue
            if type(value) is CellType and name in self.decoded.cell_names:
                try:
                    cells[name] = value.cell_contents
                except ValueError:
                    continue
            else:
                local[name] = value
        if isinstance(self.namespace, dict):  # a metaclass may have given something else
            # Keys of any other type may do anything when they are compared.
            names = (name for name in self.namespace if type(name) is str)
            local |= {name: dict.get(self.namespace, name) for name in names}
        return local, cells

    def named_variables(self) -> dict[str, Any]:
        """Return all variables that have a value, by name, as ``locals()`` does."""
        local, cells = self.variables()
        return {name: value for name, value in (local | cells).items() if isinstance(name, str)}


def _call(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    return function(*args, **keywords)


# Text that it executes must not inherit this file's ``from __future__ import annotations``.
_CALL_NATIVELY: CodeType = _call.__code__.replace(
    co_flags=_call.__code__.co_flags & ~__future__.annotations.compiler_flag
)


@dataclass(frozen=True, slots=True)
class Enter:
    """A function is called: `frame` runs next."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Return:
    """The frame is done; `value` goes to its caller."""

    value: Any


@dataclass(frozen=True, slots=True)
class Yield:
    """The generator pauses; `value` goes to the code that resumed it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Reraise:
    """`error` goes on: no instruction raised it anew."""

    error: BaseException


Signal = Enter | Return | Yield | Reraise
Handler = Callable[[Frame, DecodedInstruction], Signal | None]


class CoroutineStack:
    """The frames of a call and of what it calls, or the frame of one generator."""

    def __init__(self, state: MachineState) -> None:
        self.state = state
        self.frames: list[Frame] = []
        self.handled: BaseException | None = None

    def push(self, frame: Frame) -> None:
        """Begin to run `frame`."""
        self.state.enter()
        self.frames.append(frame)


class StepLimitReached(BaseException):
    """Goes through the program when the limit is met, so that it can put its things in order."""


class MachineState:
    """What all frames of one run share.

    `limit` is the number of steps at which the limit was met; once `stopped`, neither the program
    nor its generators go on.
    """

    def __init__(
        self,
        max_steps: int,
        step_into: Callable[[FunctionType], bool],
        decode: Callable[[CodeType], DecodedCode],
        observer: Any = None,
    ) -> None:
        self.max_steps = max_steps
        self.steps = 0
        self.depth = 0
        self.observer = observer
        self.limit: int | None = None
        self.stopped = False
        self._thread = threading.get_ident()
        self._step_into = step_into
        self._decode = decode
        self._decoded: dict[int, DecodedCode] = {}
        self._native_calls: dict[int, Callable[..., Any]] = {}
        self._outer_depth = _native_depth()

    def decoded(self, code: CodeType) -> DecodedCode:
        """Return the instructions of `code`, decoded at most once a run."""
        # By identity: equal code objects may come from different lines.
        found = self._decoded.get(id(code))
        if found is None:
            found = self._decoded[id(code)] = self._decode(code)
        return found

    def steps_into(self, function: FunctionType) -> bool:
        """Return whether a call of `function` is interpreted and not left to CPython."""
        code = function.__code__
        if code.co_flags & ASYNC or is_our_code(code):
            return False
        if code.co_name.startswith("<generic parameters of"):  # PEP 695
            return False
        return self._step_into(function)

    def frame(
        self,
        function: FunctionType,
        args: list[Any],
        keywords: dict[str, Any],
        coroutine_stack: CoroutineStack,
        *,
        namespace: Any = None,
        finish: Callable[[Any], Any] | None = None,
    ) -> Frame | None:
        """Return a frame for a call of `function`; None if the arguments do not fit."""
        decoded = self.decoded(function.__code__)
        slots = bind(function, args, keywords, len(decoded.slot_names))
        if slots is None:
            return None
        if namespace is None and not decoded.code.co_flags & inspect.CO_OPTIMIZED:
            namespace = function.__globals__  # the code of a module
        return Frame(function, decoded, slots, coroutine_stack, namespace=namespace, finish=finish)

    def native_call(self, frame: Frame) -> Callable[..., Any]:
        """Return what calls a function for CPython to execute, from the module of `frame`.

        A class that C code creates (`type`, `TypeVar`) takes its ``__module__`` from there.
        """
        found = self._native_calls.get(id(frame.globals))
        if found is None:
            found = FunctionType(_CALL_NATIVELY, frame.globals)
            self._native_calls[id(frame.globals)] = found
        return found

    def new_stack(self) -> list[Any]:
        """Return an empty value stack."""
        return [] if self.observer is None else self.observer.new_stack()

    def enter(self) -> None:
        """Count one more call in progress."""
        if self.depth + self._outer_depth >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        self.depth += 1

    def in_own_thread(self) -> bool:
        """Return whether this is the thread of the run; a generator may be driven by another."""
        return threading.get_ident() == self._thread

    def end_recording(self, max_steps: int) -> None:
        """Let what is left of the program (a generator) run on unrecorded."""
        self.observer = None
        self.max_steps = max_steps

    def meet_limit(self) -> None:
        """Raise what leaves the program, by way of its ``finally`` and ``with``, at the limit."""
        if self.limit is not None:
            raise self.limit_error()
        if self.observer is not None:
            self.observer.stop()
            self.observer = None
        self.limit = self.max_steps
        self.max_steps += _ALLOWANCE
        raise StepLimitReached

    def limit_error(self) -> StepLimitError:
        """Return the error that says that the limit was met."""
        return StepLimitError(
            f"The program did not end within {self.limit:,} instructions. Give it less work, "
            "look for an endless loop, or raise the limit with Machine(max_steps=...).",
            steps=self.limit or self.max_steps,
        )


def _native_depth() -> int:
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return depth
