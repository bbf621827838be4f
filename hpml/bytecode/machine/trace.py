"""The record of a run: one immutable step per executed instruction.

A `Step` contains texts, not objects: later changes of a list do not alter it, and a trace keeps
nothing of the program alive except its code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from hpml.base.tables import Table
from hpml.bytecode.disassembly.versions import ExceptionEntry
from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.safe_repr import short

_COLUMNS = ("step", "line", "offset", "instruction", "stack after")


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as text: the name of its class, and its message."""

    type: str
    text: str

    def __str__(self) -> str:
        return f"{self.type}: {self.text}" if self.text else self.type


@dataclass(frozen=True, slots=True)
class Step:
    """One executed instruction, with the state before and after it.

    Stacks are listed from the bottom to the top.

    Attributes:
        index: number of the step, from 0.
        depth: call depth; 0 in the traced function itself.
        function: qualified name of the function that the instruction belongs to.
        instruction: the executed instruction.
        stack_before: value stack of that function before the step.
        stack_after: value stack after the step, without the result of a call stepped into.
        popped: number of values popped.
        pushed: values pushed, the top last.
        locals: local variables after the step, by name.
        cells: variables shared with other functions (closures) after the step, by name.
        printed: output of the step.
        guard: row of the exception table that guards the instruction, or None.
        raised: exception raised by the instruction, or None.
        jumped_to: offset of the following instruction if it is not the next one, or None.
        called: name of the function stepped into, or None.
        returned: value returned (or yielded) to the caller, or None.
        ran: names of the program's functions that CPython ran within the instruction, such as an
            ``__add__`` or the ``key`` of `sorted`, found with `sys.setprofile`; empty while another
            profiler is active.
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
    ran: tuple[str, ...] = ()

    @property
    def offset(self) -> int:
        """The offset of the instruction, in bytes."""
        return self.instruction.offset

    @property
    def line(self) -> int | None:
        """The source line, or None."""
        return self.instruction.line

    @property
    def opname(self) -> str:
        """The name of the opcode."""
        return self.instruction.opname

    def __str__(self) -> str:
        return f"{self.index} {self.function}:{self.offset} {self.instruction}"


@dataclass(frozen=True)
class Trace:
    """The steps of one call.

    ``len(trace)`` is the dynamic instruction count; ``trace[3]`` is a step; ``str(trace)`` a table.

    Attributes:
        function: qualified name of the called function.
        call: the call with its arguments, as text.
        steps: one per executed instruction.
        value: returned value as text; None if the call did not return.
        exception: exception raised by the call; None if it returned.
        printed: all output.
        file: source file of the function.
    """

    function: str
    call: str
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
        """The number of executed instructions per line of the function's source file."""
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
        return f"{len(self)} instructions; stopped at the limit"


def _outcome(step: Step) -> str:
    """Return the stack after `step`, or its exception or returned value, and its side effects."""
    ran = f"(CPython runs {', '.join(step.ran)})" if step.ran else ""
    if step.raised is not None:
        return f"raises {step.raised}  {ran}".rstrip()
    if step.returned is not None:
        return f"-> {step.returned}"
    parts = [" | ".join(step.stack_after)]
    if step.called is not None:
        parts.append(f"(calls {step.called})")
    parts.append(ran)
    names = step.instruction.argrepr.split(", ")
    variables = step.cells if step.opname == "STORE_DEREF" else step.locals
    for name in names[: _STORES.get(step.opname, 0)]:
        if name in variables:
            parts.append(f"({name} = {variables[name]})")
    if step.printed:
        parts.append(f"(prints {short(step.printed)})")
    return "  ".join(filter(None, parts))


# Number of names in its argument that an instruction binds.
_STORES = {
    "STORE_DEREF": 1,
    "STORE_FAST": 1,
    "STORE_FAST_LOAD_FAST": 1,
    "STORE_FAST_STORE_FAST": 2,
    "STORE_NAME": 1,
}
