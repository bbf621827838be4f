"""Decode a code object for the stack machine."""

from __future__ import annotations

import sys
from dis import Instruction
from types import CodeType

from hpml.bytecode.disassembly.versions import (
    JUMPS,
    SUPPORTED,
    argument_text,
    exception_entries,
    instructions_of,
    python_version,
)
from hpml.bytecode.errors import BytecodeError, UnknownOpcodeError
from hpml.bytecode.machine.decoded_code import DecodedCode, DecodedInstruction
from hpml.bytecode.machine.opcodes.iteration import YIELD_FROM
from hpml.bytecode.machine.opcodes.operators import INTRINSICS
from hpml.bytecode.machine.opcodes.stack import COMMON
from hpml.bytecode.machine.opcodes.versions import HANDLERS

_LAZY = 1
"""Bit of IMPORT_NAME's argument in ``lazy import``, from 3.15 on."""


def _is_known(item: Instruction) -> bool:
    """Return whether the handler knows the argument of an instruction."""
    if item.opname == "CALL_INTRINSIC_1":
        return item.arg in INTRINSICS
    if item.opname == "LOAD_COMMON_CONSTANT":
        return item.arg in range(len(COMMON))
    if sys.version_info >= (3, 15):
        if item.opname == "GET_ITER":
            return item.arg in (0, YIELD_FROM)
        if item.opname == "IMPORT_NAME":
            return not (item.arg or 0) & _LAZY
    return True


def decode(code: CodeType) -> DecodedCode:
    """Return the decoded instructions of `code`."""
    version = python_version()
    if version not in SUPPORTED or sys.implementation.name != "cpython":
        raise BytecodeError(
            object="the stack machine",
            expected=f"CPython {', '.join(SUPPORTED)}",
            received=f"{sys.implementation.name} {version}",
            remedy="Run it on one of these.",
        )
    listed = instructions_of(code)
    number_at = {item.offset: number for number, item in enumerate(listed)}
    guards = {
        offset: entry
        for entry in exception_entries(code)
        for offset in range(entry.start, entry.end, 2)
    }
    instructions = []
    for item in listed:
        handler = HANDLERS.get(item.opname)
        if handler is None or not _is_known(item):
            name = item.opname if handler is None else f"{item.opname} {item.arg}"
            line = item.positions and item.positions.lineno
            raise UnknownOpcodeError(
                f"The stack machine has no handler for {name} of Python {version} "
                f"(in {code.co_qualname}, line {line}). It "
                "does not run async code, except*, template strings, type aliases or lazy imports.",
                object=f"{code.co_qualname}, line {line}",
                expected="instructions that the stack machine has a handler for",
                received=name,
                remedy="Remove the statement.",
                opname=item.opname,
                version=version,
            )
        guard = guards.get(item.offset)
        instructions.append(
            DecodedInstruction(
                handler=handler,
                code=code,
                offset=item.offset,
                line=item.positions.lineno if item.positions else None,
                opname=item.opname,
                arg=item.arg,
                argval=item.argval,
                argrepr=argument_text(item),
                target=number_at[item.argval] if item.opcode in JUMPS else -1,
                guard=guard,
                guard_target=number_at[guard.target] if guard else -1,
            )
        )
    # A parameter that inner functions use has one slot, as a variable and a cell.
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    return DecodedCode(
        code=code,
        instructions=tuple(instructions),
        number_at=number_at,
        slot_names=(*code.co_varnames, *cells, *code.co_freevars),
        cell_names=frozenset((*code.co_cellvars, *code.co_freevars)),
    )
