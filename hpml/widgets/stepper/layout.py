"""Collect everything that a stepper shows during a trace, for its template."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hpml.bytecode.machine import Trace
from hpml.widgets.stepper.code import Code, Source, codes_of
from hpml.widgets.stepper.events import Event, events

_FEWEST_LEVELS = 3
_LANES = 5


@dataclass(frozen=True)
class Variable:
    """A row of the values array; `index` is None for a name of a class body or module."""

    index: int | None
    name: str
    is_cell: bool


@dataclass(frozen=True)
class Arc:
    """A jump between two rows of a listing, drawn in a lane beside them."""

    start: int
    end: int
    lane: int


@dataclass(frozen=True)
class Layout:
    """The content of the template.

    `of_events` is the index in `codes` of each event's code. `source_of`, `arcs` and `variables`
    have an entry per code: the index of its source (or None), its jumps, and the rows of its values
    array. `levels` is the maximal height of the value stack, `depth` that of the waiting calls.
    """

    events: Sequence[Event]
    codes: Sequence[Code]
    of_events: Sequence[int]
    sources: Sequence[Source]
    source_of: Sequence[int | None]
    arcs: Sequence[Sequence[Arc]]
    variables: Sequence[Sequence[Variable]]
    levels: int
    depth: int

    def visits_of_lines(self) -> dict[tuple[int, int], list[int]]:
        """Return the events at which each line begins to execute, by source and line."""
        visits: dict[tuple[int, int], list[int]] = defaultdict(list)
        before: tuple[int, int, int] | None = None
        for index, (event, code) in enumerate(zip(self.events, self.of_events, strict=True)):
            source = self.source_of[code]
            if source is None or event.step.line is None or event.kind == "stopped":
                continue
            now = (source, event.step.line, event.step.depth)
            if now != before:
                visits[source, event.step.line].append(index)
            before = now
        return visits

    def visits_of_rows(self) -> dict[tuple[int, int], list[int]]:
        """Return the events at which each instruction executes, by code and offset."""
        visits: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, (event, code) in enumerate(zip(self.events, self.of_events, strict=True)):
            if event.kind == "step":
                visits[code, event.step.offset].append(index)
        return visits


def layout_of(trace: Trace) -> Layout:
    """Return the layout of a trace with one or more steps."""
    all_events = events(trace)
    codes, of_steps = codes_of(trace)
    of_events = [of_steps[event.step.index] for event in all_events]
    sources = list(dict.fromkeys(code.source for code in codes if code.source is not None))
    highest = max(max(len(e.stack), *(level + 1 for level, _ in e.gone), 0) for e in all_events)
    return Layout(
        all_events,
        codes,
        of_events,
        sources,
        [None if code.source is None else sources.index(code.source) for code in codes],
        list(map(_arcs, codes)),
        [_variables(n, code, all_events, of_events) for n, code in enumerate(codes)],
        max(highest, _FEWEST_LEVELS),
        max(len(event.callers) for event in all_events),
    )


def _variables(
    number: int, code: Code, events: Sequence[Event], of_events: Sequence[int]
) -> list[Variable]:
    variables = [Variable(n, name, name in code.cells) for n, name in enumerate(code.slot_names)]
    names = set(code.slot_names)
    for event, n in zip(events, of_events, strict=True):
        if n == number:
            extra = [name for name in (*event.step.locals, *event.step.cells) if name not in names]
            names.update(extra)
            variables += [Variable(None, name, False) for name in extra]
    return variables


def _arcs(code: Code) -> list[Arc]:
    row_of = {i.offset: row for row, i in enumerate(code.instructions)}
    jumps = [
        (row_of[i.offset], row_of[i.jump_target])
        for i in code.instructions
        if i.jump_target is not None and i.jump_target in row_of
    ]
    lanes: list[list[tuple[int, int]]] = [[] for _ in range(_LANES)]
    arcs = []
    # The shortest jumps are drawn closest to the listing.
    for start, end in sorted(jumps, key=lambda jump: (abs(jump[1] - jump[0]), jump)):
        low, high = min(start, end), max(start, end)
        free = (n for n, spans in enumerate(lanes) if all(high < a or b < low for a, b in spans))
        lane = next(free, _LANES - 1)
        lanes[lane].append((low, high))
        arcs.append(Arc(start, end, lane))
    return arcs
