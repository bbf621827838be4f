"""The steps of a trace in columns: what many steps have in common is there once.

A step has sixteen fields; a million of them fill half a gigabyte. A row here has five: what is
the same whenever an instruction is executed, the texts of the stack before and after, how much of
it was left alone, and the variables. What few steps have (output, exceptions, calls) lies apart.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, overload

from hpml.bytecode.disassembly.versions import ExceptionEntry
from hpml.bytecode.machine.trace import Raised, Step, TracedInstruction

_NOTHING: Mapping[str, str] = MappingProxyType({})
_MOST_TEXTS = 10_000


class Executed(NamedTuple):
    """What is the same whenever an instruction is executed at this depth and goes on there."""

    depth: int
    function: str
    instruction: TracedInstruction
    guard: ExceptionEntry | None
    jumped_to: int | None


class Event(NamedTuple):
    """What few steps have; as `Step` has it."""

    printed: str
    raised: Raised | None
    called: str | None
    returned: str | None


class Variables:
    """The texts of variables after a step, shared by the steps until one changes."""

    __slots__ = ("_cells", "_locals", "_shown", "_texts")

    def __init__(self, local: tuple[str, ...], cells: tuple[str, ...], texts: tuple[str, ...]):
        self._locals = local
        self._cells = cells
        self._texts = texts
        self._shown: tuple[Mapping[str, str], Mapping[str, str]] | None = None

    def are(self, local: tuple[str, ...], cells: tuple[str, ...], texts: tuple[str, ...]) -> bool:
        """Return whether these are their names and texts."""
        return self._texts == texts and self._locals == local and self._cells == cells

    @property
    def shown(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """Return the local variables and the cells, by name."""
        if self._shown is None:
            count = len(self._locals)
            self._shown = (
                _mapping(self._locals, self._texts[:count]),
                _mapping(self._cells, self._texts[count:]),
            )
        return self._shown


def _mapping(names: tuple[str, ...], texts: tuple[str, ...]) -> Mapping[str, str]:
    return MappingProxyType(dict(zip(names, texts, strict=True))) if names else _NOTHING


class StepTable(Sequence[Step]):
    """The steps, made when somebody looks at them."""

    def __init__(self) -> None:
        self._before: list[tuple[str, ...]] = []
        self._after: list[tuple[str, ...]] = []
        self._kept = array("I")
        self._executed = array("I")
        self._variables: list[Variables | None] = []
        self._kinds: list[Executed] = []
        self._kind_numbers: dict[tuple[int, str, int, int | None], int] = {}
        self._events: dict[int, Event] = {}
        self._texts: dict[Any, Any] = {}

    def begin(self, stack: tuple[str, ...]) -> int:
        """Add a step with the texts of the stack before it; return its number."""
        self._before.append(stack)
        self._after.append(())
        self._kept.append(0)
        self._executed.append(0)
        self._variables.append(None)
        return len(self._before) - 1

    def end(
        self,
        index: int,
        executed: Executed,
        stack: tuple[str, ...],
        kept: int,
        variables: Variables,
        event: Event | None,
    ) -> None:
        """Fill in the rest; of the stack the lowest `kept` are as before."""
        self._after[index] = stack
        self._kept[index] = kept
        self._variables[index] = variables
        # By identity: the instruction is the same object in every step, and lives as long.
        key = (executed.depth, executed.function, id(executed.instruction), executed.jumped_to)
        number = self._kind_numbers.get(key)
        if number is None:
            number = self._kind_numbers[key] = len(self._kinds)
            self._kinds.append(executed)
        self._executed[index] = number
        if event is not None:
            self._events[index] = event

    def shared(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return equal texts as one object."""
        known = self._texts
        found: tuple[str, ...] | None = known.get(texts)
        if found is None:
            if len(known) > _MOST_TEXTS:
                known.clear()
            found = tuple([known.setdefault(text, text) for text in texts])
            known[found] = found
        return found

    def __len__(self) -> int:
        return len(self._before)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return tuple(map(self._step, numbers))
        return self._step(numbers)

    def _step(self, index: int) -> Step:
        executed = self._kinds[self._executed[index]]
        event = self._events.get(index, _NO_EVENT)
        before, after, kept = self._before[index], self._after[index], self._kept[index]
        variables = self._variables[index]
        local, cells = (_NOTHING, _NOTHING) if variables is None else variables.shown
        return Step(
            index=index,
            depth=executed.depth,
            function=executed.function,
            instruction=executed.instruction,
            stack_before=before,
            stack_after=after,
            popped=len(before) - kept,
            pushed=after[kept:],
            locals=local,
            cells=cells,
            printed=event.printed,
            guard=executed.guard,
            raised=event.raised,
            jumped_to=executed.jumped_to,
            called=event.called,
            returned=event.returned,
        )


_NO_EVENT = Event("", None, None, None)
