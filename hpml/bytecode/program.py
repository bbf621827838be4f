"""A code object made ready to run: each instruction with its handler, its targets as numbers.

The instructions are those that `dis` lists for this very code object; no byte is decoded here, so
that the machine runs what this CPython compiled, and says so when it meets an opcode it lacks.
"""

from __future__ import annotations

import dis
import sys
from dataclasses import dataclass
from types import CodeType
from typing import Any

from hpml.bytecode.errors import BytecodeError, UnknownOpcodeError
from hpml.bytecode.frame import Handler
from hpml.bytecode.opcodes.versions import HANDLERS
from hpml.bytecode.trace import Guard

__all__ = ["Operation", "Program", "decode", "version"]

_JUMPS = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)


@dataclass(slots=True, eq=False)  # not frozen: that would triple the time to decode a function
class Operation:
    """One instruction, ready to be executed; nothing changes it.

    Attributes:
        handler: what executes it.
        offset: where it stands in the code object, in bytes.
        line: its line of the source, or None.
        opname: the name of its opcode.
        arg: its argument as a number; 0 if it takes none.
        argval: what `dis` resolved the argument to: a constant, a name, an offset.
        argrepr: the same as short text.
        has_arg: whether it takes an argument.
        target: the number of the operation it may jump to; -1 if it cannot jump.
        guard: the row of the exception table that guards it, or None.
        guard_target: the number of the operation where the handler begins.
        guard_keeps_offset: whether the handler finds the offset of the raising instruction below
            the exception.
    """

    handler: Handler
    offset: int
    line: int | None
    opname: str
    arg: int
    argval: Any
    argrepr: str
    has_arg: bool
    target: int
    guard: Guard | None
    guard_target: int
    guard_keeps_offset: bool


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The operations of a code object.

    Attributes:
        code: the code object.
        operations: its instructions, in order.
        number_at: the number of an operation by its offset.
        slot_names: the names of the local variables and cells, by slot.
        cell_names: the names that (also) stand for cells.
    """

    code: CodeType
    operations: tuple[Operation, ...]
    number_at: dict[int, int]
    slot_names: tuple[str, ...]
    cell_names: frozenset[str]


def version() -> str:
    """Return the version of Python whose opcodes are in use, such as ``"3.12"``."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def decode(code: CodeType) -> Program:
    """Return the operations of `code`.

    Raises:
        UnknownOpcodeError: if it has an opcode that the table of this Python's opcodes lacks.
        BytecodeError: if there is no table for this Python.

    >>> program = decode((lambda a: a).__code__)
    >>> [operation.opname for operation in program.operations]
    ['RESUME', 'LOAD_FAST', 'RETURN_VALUE']
    """
    handlers = HANDLERS.get(version())
    if handlers is None or sys.implementation.name != "cpython":
        raise BytecodeError(
            f"The stack machine knows the opcodes of CPython {', '.join(HANDLERS)}, and this is "
            f"{sys.implementation.name} {version()}. Run it on one of those."
        )
    instructions = list(dis.get_instructions(code))
    number_at = {item.offset: number for number, item in enumerate(instructions)}
    guards = _guards(code)
    operations = []
    for item in instructions:
        handler = handlers.get(item.opname)
        if handler is None:
            raise UnknownOpcodeError(
                f"The stack machine has no handler for {item.opname} of Python {version()} "
                f"(in {code.co_qualname}, line {item.positions and item.positions.lineno}). It "
                "runs everything that an ordinary function can contain, but not async code.",
                opname=item.opname,
                version=version(),
            )
        guard, keeps = guards.get(item.offset, (None, False))
        operations.append(
            Operation(
                handler=handler,
                offset=item.offset,
                line=item.positions.lineno if item.positions else None,
                opname=item.opname,
                arg=item.arg or 0,
                argval=item.argval,
                argrepr=_argrepr(item),
                has_arg=item.arg is not None,
                target=number_at[item.argval] if item.opcode in _JUMPS else -1,
                guard=guard,
                guard_target=number_at[guard.target] if guard else -1,
                guard_keeps_offset=keeps,
            )
        )
    # A parameter that inner functions use is a variable and a cell in one slot.
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    return Program(
        code=code,
        operations=tuple(operations),
        number_at=number_at,
        slot_names=(*code.co_varnames, *cells, *code.co_freevars),
        cell_names=frozenset((*code.co_cellvars, *code.co_freevars)),
    )


def _argrepr(item: dis.Instruction) -> str:
    """Return the argument as text that is the same on every version."""
    if item.opcode in _JUMPS:
        return f"to {item.argval}"
    if isinstance(item.argval, CodeType):
        return f"<code {item.argval.co_name}>"
    return item.argrepr


def _guards(code: CodeType) -> dict[int, tuple[Guard, bool]]:
    """Return the row of the exception table for each guarded offset."""
    found: dict[int, tuple[Guard, bool]] = {}
    listing: Any = dis.Bytecode(code)
    for entry in listing.exception_entries:
        guard = Guard(entry.start, entry.end, entry.target, entry.depth)
        for offset in range(entry.start, entry.end, 2):
            found[offset] = (guard, entry.lasti)
    return found
