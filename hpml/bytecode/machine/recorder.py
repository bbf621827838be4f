"""Writes steps down while the machine runs."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, SupportsIndex

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Enter, Frame, Reraise, Return, Signal, Yield
from hpml.bytecode.machine.trace import Raised, Step, TracedInstruction
from hpml.bytecode.safe_repr import short

_NOTHING: Mapping[str, str] = MappingProxyType({})


class RecordedStack(list[Any]):
    """A value stack that remembers how low it went, which tells what an instruction popped."""

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
    """A step that has begun; others may begin and end before it does (a generator's)."""

    index: int
    depth: int
    frame: Frame
    instruction: DecodedInstruction
    stack: tuple[str, ...]
    printed: str = ""


@dataclass(eq=False)
class _Tee:
    """A stand-in for ``sys.stdout`` that passes everything on and keeps a copy."""

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


class Recorder:
    """The steps of one run."""

    def new_stack(self) -> list[Any]:
        return RecordedStack()

    def __init__(self) -> None:
        self._steps: list[Step | None] = []
        self._started: list[_Started] = []
        self._output = _Tee(None)
        self._instructions: dict[int, TracedInstruction] = {}
        self._last: tuple[Frame | None, tuple[str, ...]] = (None, ())
        self._programs: list[Any] = []
        self._locals = _NOTHING

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Copy what is printed until the end of the ``with`` block."""
        before: Any = sys.stdout
        if before is None:  # a program without a console prints nowhere
            yield
            return
        self._output.stream = before
        tee: Any = self._output
        sys.stdout = tee
        try:
            yield
        finally:
            if sys.stdout is tee:
                sys.stdout = before

    def before(self, frame: Frame) -> None:
        """Begin a step: `frame` is about to execute its current instruction."""
        if self._started:
            self._started[-1].printed += self._output.take()
        last_frame, texts = self._last
        if last_frame is not frame:
            texts = tuple(short(value) for value in frame.stack)
        frame.stack.lowest = len(frame.stack)  # type: ignore[attr-defined]
        depth = frame.coroutine_stack.state.depth - 1
        self._started.append(_Started(len(self._steps), depth, frame, frame.current, texts))
        self._steps.append(None)

    def after(self, frame: Frame, signal: Signal | None) -> None:
        """End the step that began last, unless it raises."""
        if type(signal) is Reraise:
            return
        called = signal.frame.name if type(signal) is Enter else None
        returned = short(signal.value) if type(signal) in (Return, Yield) else None  # type: ignore[union-attr]
        self._end(frame, called=called, returned=returned)

    def stop(self) -> None:
        """End all steps that have begun."""
        while self._started:
            self._end(self._started[-1].frame)

    def raised(self, frame: Frame, error: BaseException) -> None:
        """End the step that began last: it raised `error`."""
        if self._started and self._started[-1].frame is frame:
            guard = self._started[-1].instruction.guard
            stack: Any = frame.stack
            stack.lowest = min(stack.lowest, guard.depth if guard else 0)
            self._end(frame, error=error)

    def _end(
        self,
        frame: Frame,
        *,
        called: str | None = None,
        returned: str | None = None,
        error: BaseException | None = None,
    ) -> None:
        started = self._started.pop()
        instruction = started.instruction
        texts = tuple(short(value) for value in frame.stack)
        stack: Any = frame.stack
        lowest = stack.lowest
        local, cells = frame.variables()
        following = frame.decoded.number_at[instruction.offset] + 1
        jumped = frame.index != following and (error is None or instruction.guard is not None)
        self._last = (frame, texts)
        # Few steps change a variable: the others share one mapping.
        locals_now = _texts(local)
        if locals_now != self._locals:
            self._locals = locals_now
        self._steps[started.index] = Step(
            index=started.index,
            depth=started.depth,
            function=frame.name,
            instruction=self._instruction(frame, instruction),
            stack_before=started.stack,
            stack_after=texts,
            popped=len(started.stack) - lowest,
            pushed=texts[lowest:],
            locals=self._locals,
            cells=_texts(cells),
            printed=started.printed + self._output.take(),
            guard=instruction.guard,
            raised=None if error is None else raised_text(error),
            jumped_to=frame.decoded.instructions[frame.index].offset if jumped else None,
            called=called,
            returned=returned,
        )

    @property
    def printed(self) -> str:
        """Return everything that was printed."""
        return "".join(self._output.everything)

    def steps(self) -> tuple[Step, ...]:
        """Return the steps until now; those that have begun end here."""
        self.stop()
        return tuple(step for step in self._steps if step is not None)

    def _instruction(self, frame: Frame, instruction: DecodedInstruction) -> TracedInstruction:
        found = self._instructions.get(id(instruction))
        if found is None:
            self._programs.append(frame.decoded)  # keeps the instruction, and so its id
            file = frame.code.co_filename
            line = instruction.line
            found = self._instructions[id(instruction)] = TracedInstruction(
                offset=instruction.offset,
                line=line,
                opname=instruction.opname,
                arg=instruction.arg if instruction.has_arg else None,
                argrepr=instruction.argrepr,
                source=linecache.getline(file, line).strip() if line else "",
                file=file,
            )
        return found


def _texts(values: dict[str, Any]) -> Mapping[str, str]:
    if not values:
        return _NOTHING
    return MappingProxyType({name: short(value) for name, value in values.items()})


def raised_text(error: BaseException, report: str = "") -> Raised:
    """Return `error` as text, whatever its ``__str__`` does."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - whatever a foreign class raises, its name says enough
        text = ""
    return Raised(type(error).__name__, text[:200], report)
