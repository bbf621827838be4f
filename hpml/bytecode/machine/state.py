"""The state of a run: the calls in progress, and what they share.

A `Frame` is one call; a `CoroutineStack` contains the frames of a call and of the calls that it
makes, or the frame of a generator; all stacks of a run share one `MachineState`. Handlers of
instructions return None, or the signal `Enter`, `Return`, `Yield` or `Reraise` if another frame
runs next.
"""

from __future__ import annotations
import __future__

import inspect
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CellType, CodeType, FunctionType
from typing import Any

from hpml.bytecode.errors import StepLimitError
from hpml.bytecode.machine.binding import bind
from hpml.bytecode.machine.decoded_code import DecodedCode, DecodedInstruction
from hpml.bytecode.null import NULL
from hpml.bytecode.own_code import is_our_code, is_user_code

# CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR: only an event loop can run these.
ASYNC = 0x80 | 0x100 | 0x200

_CLEANUP_STEPS = 10_000
"""Steps beyond the limit for the program's ``finally`` and ``with`` blocks."""


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function.

    `slots` has the parameters and other local variables, then the cells shared with inner
    functions, then those from outer functions; an empty slot is NULL. `namespace` is the dictionary
    that a class body fills; None in a function. `finish` converts the returned value to the value
    of the call. `index` is the index of the next instruction. `keyword_names` are those of the next
    CALL.
    """

    function: FunctionType
    decoded: DecodedCode
    slots: list[Any]
    coroutine_stack: CoroutineStack
    namespace: Any = None
    finish: Callable[[Any], Any] | None = None
    index: int = 0
    keyword_names: tuple[str, ...] = ()
    stack: list[Any] = field(init=False)
    current: DecodedInstruction = field(init=False)
    name: str = field(init=False)
    globals: dict[str, Any] = field(init=False)
    builtins: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.stack = self.coroutine_stack.state.new_stack()
        self.current = self.decoded.instructions[0]
        self.name = self.function.__qualname__
        self.globals = self.function.__globals__
        function: Any = self.function  # mypy knows `__builtins__` in some runs only
        self.builtins = function.__builtins__

    @property
    def code(self) -> CodeType:
        return self.decoded.code

    def variables(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the local variables and the contents of cells by name, without empty ones."""
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
        if isinstance(self.namespace, dict):  # the __prepare__ of a metaclass may return others
            # Comparing keys of other types may run code of the program.
            names = (name for name in self.namespace if type(name) is str)
            local |= {name: dict.get(self.namespace, name) for name in names}
        return local, cells


def _call(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    return function(*args, **keywords)


NATIVE_CALL = ("<call by the stack machine>",)
"""The constants of the code that calls functions natively, by which it is recognised."""

COPY = ("<frame of the stack machine>",)
"""The constants of the code in the frames of tracebacks."""

_CALLERS = 8
"""Most frames of the program that a function called natively sees."""

_NO_COLUMNS = 0x80 | 13 << 3
"""Entry of a table of lines: one instruction, in the same line as the one before (PEP 626)."""


def native_call(frame: Frame, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Call `function` natively, from functions that look like those of the program.

    They have the globals, the names and the files of `frame` and its callers, and their current
    lines. Classes created in C, `logging`, `warnings` and `sys._getframe` ask for these.
    """
    caller = _caller(frame)
    arguments = [function, args, keywords]
    for outer in frame.coroutine_stack.frames[-2 : -1 - _CALLERS : -1]:
        arguments = [caller, arguments, {}]
        caller = _caller(outer)
    return caller(*arguments)


def _caller(frame: Frame) -> FunctionType:
    """Return a function that calls another, and looks like the function of `frame`."""
    instruction = frame.current
    if instruction.caller is None:
        mine, code = _call.__code__, frame.code
        instruction.caller = mine.replace(
            co_consts=NATIVE_CALL,
            co_filename=code.co_filename,
            co_name=code.co_name,
            co_qualname=code.co_qualname,
            co_firstlineno=instruction.line or code.co_firstlineno,
            co_linetable=bytes([_NO_COLUMNS, 0]) * (len(mine.co_code) // 2),
            # Text executed by it must not inherit this file's ``from __future__`` import.
            co_flags=mine.co_flags & ~__future__.annotations.compiler_flag,
        )
    return FunctionType(instruction.caller, frame.globals)


@dataclass(frozen=True, slots=True)
class Enter:
    """A function was called; `frame` runs next."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Return:
    """The frame ended; `value` goes to its caller."""

    value: Any


@dataclass(frozen=True, slots=True)
class Yield:
    """The generator is suspended; `value` goes to the code that resumed it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Reraise:
    """`error` propagates further; no instruction raised it anew."""

    error: BaseException


Signal = Enter | Return | Yield | Reraise
Handler = Callable[[Frame, DecodedInstruction], Signal | None]


class CoroutineStack:
    """The frames of one thread of control, and the exception that it is handling."""

    def __init__(self, state: MachineState) -> None:
        self.state = state
        self.frames: list[Frame] = []
        self.handled: BaseException | None = None

    def push(self, frame: Frame) -> None:
        """Push `frame`, which runs next."""
        self.state.enter()
        self.frames.append(frame)


class StepLimitReached(BaseException):
    """Unwinds the program at the limit, through its ``finally`` and ``with`` blocks."""


class MachineState:
    """The state shared by all frames of one run.

    The machine steps into functions with the globals `module`, and into other code of the user.
    `limit` is the number of steps at which the limit was reached, or None. Once `stopped`, neither
    the program nor its generators continue.
    """

    def __init__(
        self,
        max_steps: int,
        module: dict[str, Any],
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
        self._module = module
        self._decode = decode
        self._decoded: dict[int, DecodedCode] = {}
        self._outer_depth = _native_depth()

    def decoded(self, code: CodeType) -> DecodedCode:
        """Return the decoded `code`; it is decoded at most once per run."""
        # By identity: equal code objects may come from different lines.
        found = self._decoded.get(id(code))
        if found is None:
            found = self._decoded[id(code)] = self._decode(code)
        return found

    def steps_into(self, function: FunctionType) -> bool:
        """Return whether the machine, and not CPython, runs a call of `function`."""
        code = function.__code__
        if code.co_flags & ASYNC or is_our_code(code):
            return False
        if code.co_name.startswith("<generic parameters of"):  # PEP 695
            return False
        return function.__globals__ is self._module or is_user_code(code)

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
        return Frame(function, decoded, slots, coroutine_stack, namespace, finish)

    def new_stack(self) -> list[Any]:
        return [] if self.observer is None else self.observer.new_stack()

    def enter(self) -> None:
        """Count one more frame."""
        if self.depth + self._outer_depth >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        self.depth += 1

    def in_run_thread(self) -> bool:
        """Return whether this is the thread of the run; another may resume a generator."""
        return threading.get_ident() == self._thread

    def reach_limit(self) -> None:
        """Stop recording and unwind the program; raise the error if it exceeds the limit again."""
        if self.limit is not None:
            raise self.limit_error()
        if self.observer is not None:
            self.observer.stop()
            self.observer = None
        self.limit = self.max_steps
        self.max_steps += _CLEANUP_STEPS
        raise StepLimitReached

    def limit_error(self) -> StepLimitError:
        return StepLimitError(
            f"The program did not end within {self.limit:,} instructions.",
            object="the program",
            expected=f"an end within {self.limit:,} instructions",
            received="none",
            remedy="Look for an endless loop, use a smaller input, or raise the limit with "
            "Machine(max_steps=...).",
            steps=self.limit or self.max_steps,
        )


def _native_depth() -> int:
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return depth
