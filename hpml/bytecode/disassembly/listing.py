"""Bytecode as a value: the instructions that CPython compiled, to read, compare and count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

from hpml.base.tables import Shown, Table
from hpml.bytecode.disassembly.subject import Subject, subject_of
from hpml.bytecode.disassembly.versions import (
    JUMPS,
    LEAVES,
    ExceptionEntry,
    exception_entries,
    listed,
    python_version,
    span,
    stack_effect,
    stands_for,
)

_COLUMNS = ("line", "source", "offset", "", "instruction", "arg", "stands for", "jumps to", "stack")
_ALIGN = ("right", "left", "right", "left", "left", "right", "left", "right", "right")
_LONGEST = 48


@dataclass(frozen=True)
class Instruction:
    """One instruction, two bytes long: an opcode and an argument.

    Attributes:
        offset: where it stands, in bytes from the start of the code.
        line: the line of the source that it was compiled from, or None.
        source: the piece of that source, cut at the end of its first line; empty if unknown.
        opname: the opcode's name.
        arg: its argument as a number, or None if it takes none.
        argrepr: what the argument stands for: a name, a constant, an operator.
        jump_target: the offset where it may go on, or None if it cannot jump.
        is_jump_target: whether a jump or an exception may lead here.
        stack_effect: by how much the value stack is higher after it, if it does not jump; None
            where `dis` cannot say.
        stack_effect_jump: the same if it jumps; None for what cannot jump.
        falls_through: whether the next instruction may follow.
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
    """Instructions executed from the first to the last, and the offsets that may follow."""

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
        """The listing as a table; a line's number and a piece of source stand where they begin."""
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
            caption=self._guarded(),
            align=_ALIGN,
            code=True,
        )

    def _guarded(self) -> str | None:
        entries = [
            f"{entry.start} to {entry.end - 2} → {entry.target}" for entry in self.exception_table
        ]
        where = "Exception table (raised there → goes on here)"
        return f"{where}: {', '.join(entries)}." if entries else None


@dataclass(frozen=True)
class Disassembly(Shown):
    """Bytecode of a function, or of source text, with that of the code objects inside it.

    Attributes:
        listings: the function's own first, then those inside it, as they are met.
        version: of the Python that compiled it: ``"3.11"``.
    """

    listings: tuple[Listing, ...]
    version: str

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """The function's own instructions, without those of code objects inside it."""
        return self.listings[0].instructions

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The function's own instructions in basic blocks."""
        return self.listings[0].blocks

    @property
    def table(self) -> Table:
        """The function's own instructions as a table."""
        return self.listings[0].table

    def __str__(self) -> str:
        parts = [str(listing.table) for listing in self.listings]
        return "\n\n".join([*parts, self._note()])

    def _repr_html_(self) -> str:
        parts = [listing.table._repr_html_() for listing in self.listings]
        return "".join(parts) + f"<p><small>{self._note()}</small></p>"

    def _note(self) -> str:
        marked = any(step.is_jump_target for part in self.listings for step in part.instructions)
        return f"Bytecode of CPython {self.version}." + (
            " » marks where a jump or an exception may lead." if marked else ""
        )


def disassemble(func_or_code_or_source: object) -> Disassembly:
    """Return the bytecode of a function, as the running CPython compiled it.

    Args:
        func_or_code_or_source: a function, method, generator, code object, or source text.

    Raises:
        BytecodeError: if it has no bytecode, or the text does not compile; says what to pass.

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
    # Not recursion: source text may nest functions as deep as it likes.
    waiting = [(subject.name, subject.code)]
    while waiting:
        name, code = waiting.pop()
        entries = exception_entries(code)
        handlers = {entry.target for entry in entries}
        steps = tuple(_instructions(code, lines, handlers))
        yield Listing(name, code, steps, entries)
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        # From 3.14 on annotations are computed by a function of their own (PEP 649).
        names = {"__annotate__": "annotations"}
        waiting += [
            (f"{names.get(one.co_name, one.co_name)} in {name}", one) for one in reversed(inner)
        ]


def _instructions(
    code: CodeType, lines: tuple[str, ...], handlers: set[int]
) -> Iterator[Instruction]:
    for step in listed(code):
        where = span(step)
        jumps = step.opcode in JUMPS
        yield Instruction(
            offset=step.offset,
            line=where[0],
            source=_piece(lines, where),
            opname=step.opname,
            arg=step.arg,
            argrepr=stands_for(step),
            jump_target=step.argval if jumps else None,
            is_jump_target=step.is_jump_target or step.offset in handlers,
            stack_effect=stack_effect(step, jump=False),
            stack_effect_jump=stack_effect(step, jump=True) if jumps else None,
            falls_through=step.opname not in LEAVES,
        )


def _piece(lines: tuple[str, ...], span: tuple[int | None, ...]) -> str:
    first, last, start, end = span
    if first is None or not 1 <= first <= len(lines):
        return ""
    line = lines[first - 1]
    if start is None or end is None or (start == 0 and end == 0):
        return _cut(line.strip())
    # Columns count bytes of UTF-8, not characters.
    data = line.encode("utf-8", "surrogatepass")
    piece = data[start : end if last == first else None].decode("utf-8", "replace").strip()
    return _cut(piece if last == first else f"{piece} …")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _effect(step: Instruction) -> str:
    if step.opname == "EXTENDED_ARG" or step.opname == "RESUME":
        return ""
    ways = []
    if step.falls_through:
        ways.append(step.stack_effect)
    if step.stack_effect_jump is not None and step.stack_effect_jump not in ways:
        ways.append(step.stack_effect_jump)
    if not ways:
        ways.append(step.stack_effect)
    return " or ".join("?" if way is None else f"{way:+d}" if way else "0" for way in ways)


def _blocks(steps: tuple[Instruction, ...]) -> Iterator[Block]:
    targets = {step.jump_target for step in steps if step.jump_target is not None}
    start = 0
    for place, step in enumerate(steps):
        after = steps[place + 1] if place + 1 < len(steps) else None
        ends = step.jump_target is not None or not step.falls_through
        if after is None or ends or after.is_jump_target or after.offset in targets:
            following = [after.offset] if step.falls_through and after is not None else []
            if step.jump_target is not None:
                following.append(step.jump_target)
            yield Block(steps[start].offset, steps[start : place + 1], tuple(following))
            start = place + 1
