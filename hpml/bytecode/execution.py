"""The state that all frames of one run share: the count of steps, the depth, the recorder."""

from __future__ import annotations
import __future__

import sys
import threading
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, NoReturn

from hpml.bytecode.binding import bind
from hpml.bytecode.errors import StepLimitError
from hpml.bytecode.frame import Frame
from hpml.bytecode.program import Program, decode
from hpml.bytecode.recorder import RecordedStack, Recorder
from hpml.bytecode.strand import Strand
from hpml.bytecode.tracebacks import is_our_code

__all__ = ["ASYNC", "Execution"]

# CO_COROUTINE | CO_ITERABLE_COROUTINE | COASYNC_GENERATOR: only an event loop can run these.
ASYNC = 0x80 | 0x100 | 0x200

# The flags of a code object that say what it imports from ``__future__``.
_FUTURE: int = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)

# The number of the intrinsic that makes a type alias.
_TYPEALIAS = 11


class Execution:
    """One run of the machine.

    Attributes:
        max_steps: how many steps are allowed.
        steps: how many were taken.
        depth: how many interpreted calls are in progress.
        recorder: what writes steps down; None if nobody does.
        running: the strands in progress, the innermost last.
        stopped: whether the limit was met; generators that are left do not run on.
    """

    def __init__(
        self,
        max_steps: int,
        step_into: Callable[[FunctionType], bool],
        recorder: Recorder | None = None,
    ) -> None:
        self.max_steps = max_steps
        self.steps = 0
        self.depth = 0
        self.recorder = recorder
        self.stopped = False
        self.running: list[Strand] = []
        self._thread = threading.get_ident()
        self._step_into = step_into
        self._programs: dict[int, Program] = {}
        self._native_calls: dict[tuple[int, int], Callable[..., Any]] = {}
        self._outer_depth = _native_depth()

    def program(self, code: CodeType) -> Program:
        """Return the operations of `code`, decoded at most once a run."""
        # By identity: equal code objects may come from different lines.
        found = self._programs.get(id(code))
        if found is None:
            found = self._programs[id(code)] = decode(code)
        return found

    def steps_into(self, function: FunctionType) -> bool:
        """Return whether a call of `function` is interpreted and not left to CPython."""
        code = function.__code__
        if code.co_flags & ASYNC or is_our_code(code):
            return False
        if _makes_parameters(code) and self._makes_alias(code):
            return False
        return self._step_into(function)

    def _makes_alias(self, code: CodeType) -> bool:
        # `type A[T] = ...` alone: only CPython can give an alias both parameters and a value that
        # is evaluated later.
        return any(
            operation.opname == "CALL_INTRINSIC_1" and operation.arg == _TYPEALIAS
            for operation in self.program(code).operations
        )

    def frame(
        self,
        function: FunctionType,
        args: list[Any],
        keywords: dict[str, Any],
        strand: Strand,
        *,
        namespace: Any = None,
        finish: Callable[[Any], Any] | None = None,
    ) -> Frame | None:
        """Return a frame for a call of `function`; None if the arguments do not fit."""
        program = self.program(function.__code__)
        slots = bind(function, args, keywords, len(program.slot_names))
        if slots is None:
            return None
        return Frame(function, program, slots, strand, namespace=namespace, finish=finish)

    def native_call(self, frame: Frame) -> Callable[..., Any]:
        """Return what calls a function for CPython to execute, from the module of `frame`.

        A class that C code creates (`type`, `TypeVar`) takes its ``__module__`` from there, and
        `compile` and `exec` take over what that module imports from ``__future__``.
        """
        future = frame.code.co_flags & _FUTURE
        found = self._native_calls.get((id(frame.globals), future))
        if found is None:
            code = _call.__code__
            code = code.replace(co_flags=code.co_flags & ~_FUTURE | future)
            found = FunctionType(code, frame.globals)
            self._native_calls[id(frame.globals), future] = found
        return found

    def frames(self) -> list[Frame]:
        """Return the calls in progress, the innermost last."""
        return [frame for strand in self.running for frame in strand.frames]

    def new_stack(self) -> list[Any]:
        """Return an empty value stack."""
        return [] if self.recorder is None else RecordedStack()

    def enter(self) -> None:
        """Count one more call in progress.

        Raises:
            RecursionError: for the program, if it has reached Python's limit.
        """
        if self.depth + self._outer_depth >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        self.depth += 1

    def in_own_thread(self) -> bool:
        """Return whether this is the thread of the run; a generator may be driven by another."""
        return threading.get_ident() == self._thread

    def end_recording(self, max_steps: int) -> None:
        """Let what is left of the program (a generator) run on unrecorded."""
        self.recorder = None
        self.max_steps = max_steps

    def refuse_more_steps(self) -> NoReturn:
        """Raise the error that says that the limit was met."""
        self.stopped = True
        raise StepLimitError(
            f"The program took {self.max_steps:,} instructions and had not ended. Give it less "
            "to do, look for a loop that does not end, or allow more with "
            "Machine(max_steps=...).",
            steps=self.max_steps,
        )


def _call(function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    return function(*args, **keywords)


def _makes_parameters(code: CodeType) -> bool:
    """Return whether `code` is the hidden function around a declaration with type parameters."""
    return code.co_name.startswith("<generic parameters of")


def _native_depth() -> int:
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        depth += 1
    return depth
