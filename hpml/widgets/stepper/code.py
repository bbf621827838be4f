"""Which code object each step of a trace belongs to, with its listing and its source.

A trace names functions and offsets. The code objects are noted while it is made: those of the
functions that the machine asks about before it steps into them, and those inside of them.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Literal

from hpml.bytecode import Step, Trace
from hpml.bytecode.disassembly import ExceptionEntry, Instruction, disassemble

_LONG = 120
_AROUND = 3


@dataclass(frozen=True)
class Source:
    """The source of a function, as it stands in its file or cell."""

    lines: tuple[str, ...]
    first: int
    indent: int


@dataclass(frozen=True)
class Code:
    """A code object as it is shown.

    Attributes:
        name: the qualified name of its function.
        instructions: in the order of their offsets.
        guards: the rows of its exception table.
        places: the names of its values array, by index.
        cells: the names among them that are shared with other functions.
        spans: for offsets the line, and the columns in characters, of what they were compiled
            from, where that lies within one line.
        source: what it was compiled from; None if that cannot be found.
    """

    name: str
    instructions: tuple[Instruction, ...]
    guards: tuple[ExceptionEntry, ...]
    places: tuple[str, ...]
    cells: frozenset[str]
    spans: dict[int, tuple[int, int, int]]
    source: Source | None


class CodeCollector:
    """Notes the code object of every function that the machine steps into."""

    def __init__(
        self,
        function: FunctionType,
        step_into: bool | Literal["module"] | Callable[[FunctionType], bool],
    ) -> None:
        self.codes = [function.__code__]
        self._globals = function.__globals__
        self._choice = step_into

    def __call__(self, function: FunctionType) -> bool:
        choice = self._choice
        if choice == "module":
            enter = function.__globals__ is self._globals
        else:
            enter = choice if isinstance(choice, bool) else bool(choice(function))
        # By identity: equal code objects may come from different lines.
        if enter and not any(code is function.__code__ for code in self.codes):
            self.codes.append(function.__code__)
        return enter


def codes_of(trace: Trace, collected: Sequence[CodeType]) -> tuple[tuple[Code, ...], list[int]]:
    """Return the code objects of a trace, in the order in which they run, and each step's own."""
    candidates: dict[str, list[CodeType]] = defaultdict(list)
    for code in _with_inner(collected):
        candidates[code.co_qualname].append(code)
    stretches: list[list[Step]] = []
    for step in trace:
        last = stretches[-1][-1] if stretches else None
        if last is None or (last.function, last.depth) != (step.function, step.depth):
            stretches.append([])
        stretches[-1].append(step)
    shown: dict[object, int] = {}
    found: list[Code] = []
    sources = _Sources()
    of_steps: list[int] = []
    for steps in stretches:
        fitting = (c for c in candidates[steps[0].function] if _fits(c, steps))
        own = next(fitting, None)
        key = steps[0].function if own is None else id(own)
        if key not in shown:
            shown[key] = len(found)
            found.append(
                _shown(own, sources)
                if own is not None
                else _guessed([step for step in trace if step.function == steps[0].function])
            )
        of_steps += [shown[key]] * len(steps)
    return tuple(found), of_steps


def kept(count: int, used: Sequence[int]) -> list[int | None]:
    """Return which of `count` rows are shown; None stands for a gap.

    >>> kept(3, [1])
    [0, 1, 2]
    >>> kept(1000, [0, 500])
    [0, 1, 2, 3, None, 497, 498, 499, 500, 501, 502, 503, None]
    """
    if count <= _LONG:
        return list(range(count))
    near = {row for place in used for row in range(place - _AROUND, place + _AROUND + 1)}
    rows: list[int | None] = []
    for row in range(count):
        if row in near:
            rows.append(row)
        elif not rows or rows[-1] is not None:
            rows.append(None)
    return rows


def _with_inner(codes: Sequence[CodeType]) -> Iterator[CodeType]:
    waiting, seen = list(reversed(codes)), set()
    while waiting:
        code = waiting.pop()
        if id(code) not in seen:
            seen.add(id(code))
            yield code
            waiting += [each for each in reversed(code.co_consts) if isinstance(each, CodeType)]


def _fits(code: CodeType, steps: Sequence[Step]) -> bool:
    """Say whether these steps may be of this code: two lambdas of a line share name and line."""
    if code.co_filename != steps[0].instruction.file:
        return False
    there = {(i.offset, i.opname, i.line, i.arg) for i in disassemble(code).instructions}
    return all((s.offset, s.opname, s.line, s.instruction.arg) in there for s in steps)


def _shown(code: CodeType, sources: _Sources) -> Code:
    listing = disassemble(code).listings[0]
    # As in CPython: a parameter that inner functions use is variable and cell in one place.
    own = [name for name in code.co_cellvars if name not in code.co_varnames]
    source = sources.around(code)
    return Code(
        code.co_qualname,
        listing.instructions,
        listing.exception_table,
        (*code.co_varnames, *own, *code.co_freevars),
        frozenset((*code.co_cellvars, *code.co_freevars)),
        {} if source is None else _spans(code, listing.instructions, source),
        source,
    )


def _guessed(steps: Sequence[Step]) -> Code:
    """Return what is known of code that nobody saw: the instructions that were executed."""
    by_offset = {step.offset: step.instruction for step in steps}
    names = dict.fromkeys(name for step in steps for name in (*step.locals, *step.cells))
    instructions = tuple(
        Instruction(
            i.offset, i.line, i.source, i.opname, i.arg, i.argrepr, None, False, None, None, True
        )
        for _, i in sorted(by_offset.items())
    )
    return Code(steps[0].function, instructions, (), tuple(names), frozenset(), {}, None)


class _Sources:
    """Finds the source around code objects: that of the function it stands in is found once."""

    def __init__(self) -> None:
        self._found: list[tuple[str, Source]] = []

    def around(self, code: CodeType) -> Source | None:
        """Return the source that holds a code object, or None if there is none."""
        line = code.co_firstlineno
        for file, source in self._found:
            if file == code.co_filename and source.first <= line < source.first + len(source.lines):
                return source
        try:
            lines, first = inspect.getsourcelines(code)
        except (OSError, TypeError, IndexError):
            return None
        texts = [text.rstrip("\r\n") for text in lines]
        indent = min((len(t) - len(t.lstrip()) for t in texts if t.strip()), default=0)
        source = Source(tuple(text[indent:] for text in texts), max(first, 1), indent)
        self._found.append((code.co_filename, source))
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
