"""What a run left behind: one immutable step for each instruction that was executed.

A `Step` holds texts, never the objects: what a list was at that moment stays true when the program
changes the list afterwards, and a trace keeps nothing of the program alive but its code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from hpml.base.tables import Table
from hpml.bytecode.disassembly.versions import ExceptionEntry
from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.own_code import BUILTINS
from hpml.bytecode.safe_repr import short

__builtins__ = BUILTINS

_COLUMNS = ("step", "line", "offset", "instruction", "stack after")


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception, as text.

    Attributes:
        type: the name of its class.
        text: its message.
    """

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type


@dataclass(frozen=True, slots=True)
class Step:
    """One executed instruction, with the state around it.

    Stacks are written from the bottom to the top.

    Attributes:
        index: the number of the step, from 0.
        depth: how many calls deep; 0 in the traced function itself.
        function: the qualified name of the function that the instruction belongs to.
        instruction: what was executed.
        stack_before: the value stack of that function before.
        stack_after: and after; the result of a call that was stepped into is not on it yet.
        popped: how many values were taken off the stack.
        pushed: the values put on it, the top last.
        locals: the local variables after the step, by name.
        cells: the variables shared with other functions (closures) after the step, by name.
        printed: what the step printed.
        guard: the row of the exception table that guards the instruction, or None.
        raised: the exception that the instruction raised, or None.
        jumped_to: the offset where the function goes on, if that is not the next instruction.
        called: the name of the function that was stepped into, or None.
        returned: the value returned (or yielded) to the caller, or None.
    """

    index: int
    depth: int
    function: str
    instruction: DecodedInstruction
    stack_before: tuple[str, ...]
    stack_after: tuple[str, ...]
    popped: int
    pushed: tuple[str, ...]
    locals: Mapping[str, str]
    cells: Mapping[str, str]
    printed: str
    guard: ExceptionEntry | None
    raised: Raised | None
    jumped_to: int | None
    called: str | None
    returned: str | None

    @property
    def offset(self) -> int:
        """Return the offset of the instruction, in bytes."""
        return self.instruction.offset

    @property
    def line(self) -> int | None:
        """Return the line of the source, or None."""
        return self.instruction.line

    @property
    def opname(self) -> str:
        """Return the name of the opcode."""
        return self.instruction.opname

    def __str__(self) -> str:
        return f"{self.index} {self.function}:{self.offset} {self.instruction}"


@dataclass(frozen=True)
class Trace:
    """What one call did, instruction by instruction.

    ``len(trace)`` is the dynamic instruction count; ``trace[3]`` is a step; ``str(trace)`` a table.

    Attributes:
        function: the qualified name of the function that was called.
        steps: one for each executed instruction.
        value: the text of what it returned; None if it did not return.
        exception: what it raised; None if it returned.
        printed: everything that it printed.
        file: the file that the function came from.
    """

    function: str
    steps: Sequence[Step]
    value: str | None
    exception: Raised | None
    printed: str
    file: str

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index] if isinstance(index, int) else tuple(self.steps[index])

    @property
    def lines(self) -> Counter[int]:
        """Return how many instructions were executed for each line of the function's own file."""
        return Counter(
            step.line
            for step in self.steps
            if step.line is not None and step.instruction.file == self.file
        )

    def __str__(self) -> str:
        rows = [
            [
                step.index,
                "" if step.line is None else step.line,
                step.offset,
                "  " * step.depth + str(step.instruction),
                _outcome(step),
            ]
            for step in self.steps
        ]
        align = ("right", "right", "right", "left", "left")
        return str(Table(_COLUMNS, rows, caption=self._ending(), align=align))

    def _ending(self) -> str:
        if self.exception is not None:
            return f"{len(self)} instructions; raised {self.exception}"
        if self.value is not None:
            return f"{len(self)} instructions; returned {self.value}"
        return f"{len(self)} instructions; stopped there"


def _outcome(step: Step) -> str:
    """Return the stack after `step`, or what happened instead, and what else it did."""
    if step.raised is not None:
        return f"raises {step.raised}"
    if step.returned is not None:
        return f"-> {step.returned}"
    parts = [" | ".join(step.stack_after)]
    if step.called is not None:
        parts.append(f"(calls {step.called})")
    names = step.instruction.argrepr.split(", ")
    variables = step.cells if step.opname == "STORE_DEREF" else step.locals
    for name in names[: _STORES.get(step.opname, 0)]:
        if name in variables:
            parts.append(f"({name} = {variables[name]})")
    if step.printed:
        parts.append(f"(prints {short(step.printed)})")
    return "  ".join(filter(None, parts))


# How many of the names in its argument an instruction binds.
_STORES = {
    "STORE_DEREF": 1,
    "STORE_FAST": 1,
    "STORE_FAST_LOAD_FAST": 1,
    "STORE_FAST_STORE_FAST": 2,
    "STORE_NAME": 1,
}
