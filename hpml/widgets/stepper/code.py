"""The code objects of a trace, with their listings and sources."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

from hpml.bytecode import Trace
from hpml.bytecode.disassembly import ExceptionEntry, Instruction, disassemble


@dataclass(frozen=True)
class Source:
    """The source of a function."""

    lines: tuple[str, ...]
    first: int
    indent: int


@dataclass(frozen=True)
class Code:
    """A code object with its listing and source (None if not found).

    `guards` are the rows of its exception table. `slot_names` are the names of its values array,
    `cells` those shared with other functions. `spans` has by offset the line, and the columns in
    characters, of an instruction's source, if that is within one line.
    """

    name: str
    instructions: tuple[Instruction, ...]
    guards: tuple[ExceptionEntry, ...]
    slot_names: tuple[str, ...]
    cells: frozenset[str]
    spans: dict[int, tuple[int, int, int]]
    source: Source | None


def codes_of(trace: Trace) -> tuple[tuple[Code, ...], list[int]]:
    """Return the code objects of a trace in execution order, and the index of each step's code."""
    sources: list[tuple[str, Source]] = []
    codes: list[Code] = []
    numbers: dict[int, int] = {}  # by identity: equal code objects may come from different lines
    for step in trace:
        code = step.instruction.code
        if id(code) not in numbers:
            numbers[id(code)] = len(codes)
            codes.append(_code(code, sources))
    return tuple(codes), [numbers[id(step.instruction.code)] for step in trace]


def _code(code: CodeType, sources: list[tuple[str, Source]]) -> Code:
    listing = disassemble(code).listings[0]
    # As in CPython, a parameter that inner functions use has one slot, as a variable and a cell.
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    source = _source_of(code, sources)
    return Code(
        code.co_qualname,
        listing.instructions,
        listing.exception_table,
        (*code.co_varnames, *cells, *code.co_freevars),
        frozenset((*code.co_cellvars, *code.co_freevars)),
        {} if source is None else _spans(code, listing.instructions, source),
        source,
    )


def _source_of(code: CodeType, found: list[tuple[str, Source]]) -> Source | None:
    """Return the source of `code`, which nested functions share with the enclosing one, or None."""
    line = code.co_firstlineno
    for file, source in found:
        if file == code.co_filename and source.first <= line < source.first + len(source.lines):
            return source
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, IndexError):
        return None
    texts = [text.rstrip("\r\n") for text in lines]
    indent = min((len(t) - len(t.lstrip()) for t in texts if t.strip()), default=0)
    source = Source(tuple(text[indent:] for text in texts), max(first, 1), indent)
    found.append((code.co_filename, source))
    return source


def _spans(
    code: CodeType, instructions: Sequence[Instruction], source: Source
) -> dict[int, tuple[int, int, int]]:
    positions = list(code.co_positions())
    spans = {}
    for instruction in instructions:
        first, last, start, end = positions[instruction.offset // 2]
        row = -1 if first is None else first - source.first
        if first is None or first != last or not 0 <= row < len(source.lines):
            continue
        if start is None or end is None or end <= start or "\t" in source.lines[row]:
            continue
        # Columns count bytes of UTF-8, not characters.
        data = (" " * source.indent + source.lines[row]).encode("utf-8", "surrogatepass")
        left = len(data[:start].decode("utf-8", "replace")) - source.indent
        right = len(data[:end].decode("utf-8", "replace")) - source.indent
        spans[instruction.offset] = (first, left, right)
    return spans
