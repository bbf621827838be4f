"""List the bytecode of a function as a value to read, compare and count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.subject import Subject, subject_of
from hpml.bytecode.disassembly.versions import (
    JUMPS,
    NO_FALL_THROUGH,
    ExceptionEntry,
    argument_text,
    exception_entries,
    instructions_of,
    python_version,
    span,
    stack_effect,
)

_COLUMNS = ("line", "source", "offset", "", "instruction", "arg", "meaning", "jumps to", "stack")
_ALIGN = ("right", "left", "right", "left", "left", "right", "left", "right", "right")
_LONGEST = 48


@dataclass(frozen=True)
class Instruction:
    """One instruction, two bytes long: an opcode and an argument.

    Attributes:
        offset: bytes from the start of the code.
        line: source line that it was compiled from, or None.
        source: source text that it was compiled from, first line only; empty if unknown.
        opname: the opcode's name.
        arg: argument as a number, or None if the opcode takes none.
        argrepr: meaning of the argument: a name, a constant, an operator.
        jump_target: offset of the jump's target, or None if it cannot jump.
        is_jump_target: whether a jump or an exception may continue here.
        stack_effect: change of the value stack's height if it does not jump; None if `dis` does
            not know it.
        stack_effect_jump: the same if it jumps; None if it cannot jump.
        falls_through: whether execution may continue with the next instruction.
    """

    offset: int
    line: int | None
    source: str
    opname: str
    arg: int | None
    argrepr: str
    jump_target: int | None
    is_jump_target: bool
    stack_effect: int | None
    stack_effect_jump: int | None
    falls_through: bool

    def __str__(self) -> str:
        return f"{self.opname} {self.argrepr or ('' if self.arg is None else self.arg)}".rstrip()


@dataclass(frozen=True)
class Block:
    """A basic block, and the offsets at which execution may continue after it."""

    offset: int
    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]


@dataclass(frozen=True)
class Listing:
    """The instructions of one code object, with a name such as ``"<lambda> in function area"``."""

    name: str
    code: CodeType
    instructions: tuple[Instruction, ...]
    exception_table: tuple[ExceptionEntry, ...] = field(repr=False)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The instructions in basic blocks."""
        return tuple(_blocks(self.instructions))

    @property
    def table(self) -> Table:
        """The listing as a table; line number and source are shown only where they change."""
        rows, line, source = [], None, ""
        for step in self.instructions:
            new_line = step.line != line
            rows.append(
                [
                    step.line if new_line and step.line is not None else "",
                    step.source if new_line or step.source != source else "",
                    step.offset,
                    "»" if step.is_jump_target else "",
                    step.opname,
                    "" if step.arg is None else step.arg,
                    step.argrepr if step.jump_target is None else "",
                    "" if step.jump_target is None else step.jump_target,
                    _effect(step),
                ]
            )
            line, source = step.line, step.source
        return Table(
            _COLUMNS,
            rows,
            title=self.name[:1].upper() + self.name[1:],
            caption=self._exception_table_text(),
            align=_ALIGN,
            code=True,
        )

    def _exception_table_text(self) -> str | None:
        entries = [
            f"{entry.start} to {entry.end - 2} → {entry.target}" for entry in self.exception_table
        ]
        heading = "Exception table (guarded offsets → handler)"
        return f"{heading}: {', '.join(entries)}." if entries else None


@dataclass(frozen=True)
class Disassembly(Shown):
    """Bytecode of a function, or of source text: its listing, then those of nested code objects."""

    listings: tuple[Listing, ...]
    version: str

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The function's instructions, without those of nested code objects."""
        return self.listings[0].instructions

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The function's instructions in basic blocks."""
        return self.listings[0].blocks

    def __str__(self) -> str:
        parts = [str(listing.table) for listing in self.listings]
        return "\n\n".join([*parts, self._note()])

    def _repr_html_(self) -> str:
        parts = [listing.table._repr_html_() for listing in self.listings]
        return "".join(parts) + f"<p><small>{self._note()}</small></p>"

    def _note(self) -> str:
        marked = any(step.is_jump_target for part in self.listings for step in part.instructions)
        return f"Bytecode of CPython {self.version}." + (
            " » marks targets of jumps and exceptions." if marked else ""
        )


def disassemble(func_or_code_or_source: object) -> Disassembly:
    """Return the bytecode of a function, as the running CPython compiled it.

    Args:
        func_or_code_or_source: a function, method, code object, or source text.

    Raises:
        BytecodeError: if it has no bytecode, or the text does not compile.

    >>> def double(x):
    ...     return x + x
    >>> code = disassemble(double)
    >>> code.instructions[-1].opname, code.instructions[-1].stack_effect
    ('RETURN_VALUE', -1)
    >>> [step.opname for step in code.instructions if step.argrepr == "+"]
    ['BINARY_OP']

    Source: https://docs.python.org/3/library/dis.html.
    """
    subject = subject_of(func_or_code_or_source)
    return Disassembly(tuple(_listings(subject, subject.lines())), python_version())


def _listings(subject: Subject, lines: tuple[str, ...]) -> Iterator[Listing]:
    # Iterative: source text may nest functions deeper than the recursion limit.
    pending = [(subject.name, subject.code)]
    while pending:
        name, code = pending.pop()
        entries = exception_entries(code)
        handlers = {entry.target for entry in entries}
        steps = tuple(_instructions(code, lines, handlers))
        yield Listing(name, code, steps, entries)
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        # From 3.14 on a separate function computes annotations (PEP 649).
        names = {"__annotate__": "annotations"}
        pending += [
            (f"{names.get(one.co_name, one.co_name)} in {name}", one) for one in reversed(inner)
        ]


def _instructions(
    code: CodeType, lines: tuple[str, ...], handlers: set[int]
) -> Iterator[Instruction]:
    for step in instructions_of(code):
        source_span = span(step)
        jumps = step.opcode in JUMPS
        yield Instruction(
            offset=step.offset,
            line=source_span[0],
            source=_source_text(lines, source_span),
            opname=step.opname,
            arg=step.arg,
            argrepr=argument_text(step),
            jump_target=step.argval if jumps else None,
            is_jump_target=step.is_jump_target or step.offset in handlers,
            stack_effect=stack_effect(step, jump=False),
            stack_effect_jump=stack_effect(step, jump=True) if jumps else None,
            falls_through=step.opname not in NO_FALL_THROUGH,
        )


def _source_text(lines: tuple[str, ...], span: tuple[int | None, ...]) -> str:
    first, last, start, end = span
    if first is None or not 1 <= first <= len(lines):
        return ""
    line = lines[first - 1]
    if start is None or end is None or (start == 0 and end == 0):
        return _shortened(line.strip())
    # Columns count bytes of UTF-8, not characters.
    data = line.encode("utf-8", "surrogatepass")
    text = data[start : end if last == first else None].decode("utf-8", "replace").strip()
    return _shortened(text if last == first else f"{text} …")


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _effect(step: Instruction) -> str:
    if step.opname == "EXTENDED_ARG" or step.opname == "RESUME":
        return ""
    effects = []
    if step.falls_through:
        effects.append(step.stack_effect)
    if step.stack_effect_jump is not None and step.stack_effect_jump not in effects:
        effects.append(step.stack_effect_jump)
    if not effects:
        effects.append(step.stack_effect)
    return " or ".join(
        "?" if effect is None else f"{effect:+d}" if effect else "0" for effect in effects
    )


def _blocks(steps: tuple[Instruction, ...]) -> Iterator[Block]:
    targets = {step.jump_target for step in steps if step.jump_target is not None}
    start = 0
    for index, step in enumerate(steps):
        after = steps[index + 1] if index + 1 < len(steps) else None
        ends = step.jump_target is not None or not step.falls_through
        if after is None or ends or after.is_jump_target or after.offset in targets:
            successors = [after.offset] if step.falls_through and after is not None else []
            if step.jump_target is not None:
                successors.append(step.jump_target)
            yield Block(steps[start].offset, steps[start : index + 1], tuple(successors))
            start = index + 1
