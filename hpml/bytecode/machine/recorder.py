"""Record the steps of a run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, MappingProxyType
from typing import Any, SupportsIndex

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import (
    COPY,
    NATIVE_CALL,
    Enter,
    Frame,
    Reraise,
    Return,
    Signal,
    Yield,
)
from hpml.bytecode.machine.trace import Raised, Step
from hpml.bytecode.own_code import is_our_code, is_user_code
from hpml.bytecode.plain_attributes import name_of
from hpml.bytecode.safe_repr import Texts

_ARGUMENT = 30
"""Most characters of an argument in `Trace.call`; more than 80 for all are left out."""

_ARGUMENTS = 80


class RecordedStack(list[Any]):
    """A value stack that records its lowest height, from which follows what a step popped."""

    __slots__ = ("lowest",)

    def __init__(self) -> None:
        super().__init__()
        self.lowest = 0

    def pop(self, index: SupportsIndex = -1) -> Any:
        value = super().pop(index)
        self.lowest = min(self.lowest, len(self))
        return value

    def clear(self) -> None:
        super().clear()
        self.lowest = 0

    def __delitem__(self, index: SupportsIndex | slice) -> None:
        super().__delitem__(index)
        self.lowest = min(self.lowest, len(self))


@dataclass(slots=True, eq=False)
class _Started:
    """A step in progress; steps of a generator may begin and end inside it."""

    index: int
    depth: int
    frame: Frame
    instruction: DecodedInstruction
    stack: tuple[str, ...]
    printed: str = ""
    ran: list[str] = field(default_factory=list)


@dataclass(eq=False)
class _Tee:
    """A replacement for ``sys.stdout`` that forwards all output and keeps a copy."""

    stream: Any
    parts: list[str] = field(default_factory=list)
    everything: list[str] = field(default_factory=list)

    def write(self, text: str) -> int:
        self.parts.append(text)
        self.everything.append(text)
        self.stream.write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def take(self) -> str:
        text = "".join(self.parts)
        self.parts.clear()
        return text


_QUIET = (
    *("LOAD_FAST", "LOAD_CONST", "LOAD_SMALL_INT", "RESUME", "NOP", "NOT_TAKEN", "PUSH_NULL"),
    *("COPY", "SWAP", "JUMP_FORWARD", "JUMP_BACKWARD", "EXTENDED_ARG", "PRECALL", "KW_NAMES"),
)
"""Beginnings of the names of opcodes that run no function."""


class _NativeCalls:
    """Reports the functions of the program that CPython runs, by `sys.setprofile`."""

    def __init__(self, module: dict[str, Any], report: Callable[[str], object]) -> None:
        self._module = module
        self._report = report
        self._names: dict[int, tuple[CodeType, str]] = {}
        self._hook = self._profile

    def watch(self) -> None:
        """Report calls from now on, unless another profiler runs."""
        if sys.getprofile() is None:
            sys.setprofile(self._hook)

    def ignore(self) -> None:
        """Report no calls from now on."""
        if sys.getprofile() is self._hook:
            sys.setprofile(None)

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        known = self._names.get(id(code))
        if known is None:
            known = self._names[id(code)] = code, self._name(code, frame)
        if known[1]:
            self._report(known[1])

    def _name(self, code: CodeType, frame: FrameType) -> str:
        """Return the name of a function of the program, or "" for other code."""
        if is_our_code(code) or code.co_consts in (NATIVE_CALL, COPY):
            return ""
        is_inner = code.co_name.startswith("<") and code.co_name != "<lambda>"
        if is_inner or not (frame.f_globals is self._module or is_user_code(code)):
            return ""
        return code.co_qualname


class Recorder:
    """The steps of one run."""

    def __init__(self, module: dict[str, Any]) -> None:
        self._native = _NativeCalls(module, self._ran)
        self.steps: list[Step | None] = []
        self.texts = Texts()
        self.call = ""
        self._started: list[_Started] = []
        self._output = _Tee(None)
        self._last: tuple[Frame | None, tuple[str, ...]] = (None, ())
        self._variables: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {})

    def new_stack(self) -> list[Any]:
        return RecordedStack()

    def begin(
        self, function: FunctionType, args: Sequence[Any], keywords: Mapping[str, Any]
    ) -> None:
        """Record the call as text."""
        parts = [self.texts.short(value, _ARGUMENT) for value in args]
        parts += [
            f"{name}={self.texts.short(value, _ARGUMENT)}" for name, value in keywords.items()
        ]
        arguments = ", ".join(parts)
        shown = arguments if len(arguments) <= _ARGUMENTS else "…"
        self.call = f"{function.__name__}({shown})"

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Copy what is printed until the end of the ``with`` block."""
        before: Any = sys.stdout
        if before is not None:  # None in a program without a console
            self._output.stream = before
            tee: Any = self._output
            sys.stdout = tee
        try:
            yield
        finally:
            self._native.ignore()
            if before is not None:
                sys.stdout = before

    def _ran(self, name: str) -> None:
        """Record that CPython runs a function of the program during the current step."""
        if self._started and name not in self._started[-1].ran:
            self._started[-1].ran.append(name)

    def before(self, frame: Frame) -> None:
        """Begin a step: `frame` is about to execute its current instruction."""
        self._native.ignore()  # the calls of ``__repr__`` below
        if self._started:
            self._started[-1].printed += self._output.take()
        last_frame, texts = self._last
        self._last = None, ()  # or it would keep the variables of a frame that has ended
        if last_frame is not frame:
            texts = self._stack_texts(frame)
        frame.stack.lowest = len(frame.stack)  # type: ignore[attr-defined]
        depth = frame.coroutine_stack.state.depth - 1
        self._started.append(_Started(len(self.steps), depth, frame, frame.current, texts))
        self.steps.append(None)
        if not frame.current.opname.startswith(_QUIET):
            self._native.watch()
            self.texts.look_again()

    def after(self, frame: Frame, signal: Signal | None) -> None:
        """End the step that began last, unless it raises."""
        self._native.ignore()
        if type(signal) is Reraise:
            return
        called = signal.frame.name if type(signal) is Enter else None
        returned = self.texts.short(signal.value) if type(signal) in (Return, Yield) else None  # type: ignore[union-attr]
        self._end_step(frame, called=called, returned=returned)

    def stop(self) -> None:
        """End all steps in progress."""
        self._native.ignore()
        while self._started:
            self._end_step(self._started[-1].frame)

    def raised(self, frame: Frame, error: BaseException) -> None:
        """End the step that began last: it raised `error`."""
        self._native.ignore()
        if self._started and self._started[-1].frame is frame:
            guard = self._started[-1].instruction.guard
            stack: Any = frame.stack
            stack.lowest = min(stack.lowest, guard.depth if guard else 0)
            self._end_step(frame, raised=self.raised_text(error))

    def _end_step(
        self,
        frame: Frame,
        *,
        called: str | None = None,
        returned: str | None = None,
        raised: Raised | None = None,
    ) -> None:
        """Record the effect of the latest step on its frame."""
        started = self._started.pop()
        if started.index != len(self.steps) - 1:  # CPython went on after the steps of a generator
            self.texts.look_again()
        instruction = started.instruction
        stack = self._stack_texts(frame)
        kept: int = frame.stack.lowest  # type: ignore[attr-defined]
        local, cells = self._variables_of(frame)
        decoded = frame.decoded
        following = decoded.number_at[instruction.offset] + 1
        jumps = frame.index != following and (raised is None or instruction.guard is not None)
        self.steps[started.index] = Step(
            index=started.index,
            depth=started.depth,
            function=frame.name,
            instruction=instruction,
            stack_before=started.stack,
            stack_after=stack,
            popped=len(started.stack) - kept,
            pushed=stack[kept:],
            locals=local,
            cells=cells,
            printed=started.printed + self._output.take(),
            guard=instruction.guard,
            raised=raised,
            jumped_to=decoded.instructions[frame.index].offset if jumps else None,
            called=called,
            returned=returned,
            ran=tuple(started.ran),
        )
        self._last = (frame, stack)
        if self._started:  # CPython resumed a generator, and continues with its own work
            self._native.watch()

    def _variables_of(self, frame: Frame) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the texts of the frame's variables; unchanged ones share the same mappings."""
        local, cells = (
            {name: self.texts.short(value) for name, value in values.items()}
            for values in frame.variables()
        )
        if self._variables != (local, cells):
            self._variables = MappingProxyType(local), MappingProxyType(cells)
        return self._variables

    @property
    def printed(self) -> str:
        return "".join(self._output.everything)

    def _stack_texts(self, frame: Frame) -> tuple[str, ...]:
        return tuple([self.texts.short(value) for value in frame.stack])

    def raised_text(self, error: BaseException) -> Raised:
        """Return `error` as text, even if its ``__str__`` raises."""
        return Raised(name_of(type(error)), self.texts.message(error)[:200])
