"""Everything that a stepper shows during a trace, so that each thing gets one place."""

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
    """A row of the values array; `index` is None for names of a class body or module."""

    index: int | None
    name: str
    is_cell: bool


@dataclass(frozen=True)
class Arc:
    """A jump in a listing, from one row to another, drawn in a lane beside it."""

    start: int
    end: int
    lane: int


@dataclass(frozen=True)
class Layout:
    """Everything that has a place in the template.

    Attributes:
        events: what is shown, one a keyframe.
        codes: the code objects, in the order in which they run.
        of_events: the number of each event's code.
        sources: the sources, each once.
        source_of: for each code the number of its source, or None.
        arcs: for each code its jumps.
        variables: for each code the rows of its values array.
        levels: how many levels the value stack has at most.
        depth: how many functions wait at most.
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
        """Return for each source and line the events at which it begins to be executed."""
        visits: dict[tuple[int, int], list[int]] = defaultdict(list)
        before: tuple[int, int, int] | None = None
        for place, (event, code) in enumerate(zip(self.events, self.of_events, strict=True)):
            source = self.source_of[code]
            if source is None or event.line is None or event.kind == "stopped":
                continue
            now = (source, event.line, event.step.depth)
            back = event.kind == "step" and before == now and self._jumped_back(place)
            if now != before or back:
                visits[source, event.line].append(place)
            before = now
        return visits

    def visits_of_rows(self) -> dict[tuple[int, int], list[int]]:
        """Return for each code and offset the events at which it is executed."""
        visits: dict[tuple[int, int], list[int]] = defaultdict(list)
        for place, (event, code) in enumerate(zip(self.events, self.of_events, strict=True)):
            if event.kind == "step":
                visits[code, event.step.offset].append(place)
        return visits

    def _jumped_back(self, place: int) -> bool:
        previous = self.events[place - 1]
        return previous.goes_to is not None and previous.goes_to <= previous.step.offset


def layout_of(trace: Trace, called_with: str) -> Layout:
    """Return what is to be shown of a trace of one step or more."""
    shown = events(trace, called_with)
    codes, of_steps = codes_of(trace)
    of_events = [of_steps[event.step.index] for event in shown]
    sources: list[Source] = []
    source_of: list[int | None] = []
    for code in codes:
        if code.source is None:
            source_of.append(None)
            continue
        number = next((n for n, source in enumerate(sources) if source is code.source), None)
        if number is None:
            number = len(sources)
            sources.append(code.source)
        source_of.append(number)
    highest = max(max(len(m.stack), *(level + 1 for level, _ in m.gone), 0) for m in shown)
    return Layout(
        shown,
        codes,
        of_events,
        sources,
        source_of,
        list(map(_arcs, codes)),
        [_variables(n, code, shown, of_events) for n, code in enumerate(codes)],
        max(highest, _FEWEST_LEVELS),
        max(len(event.callers) for event in shown),
    )


def _variables(
    number: int, code: Code, shown: Sequence[Event], of_events: Sequence[int]
) -> list[Variable]:
    found = [Variable(n, name, name in code.cells) for n, name in enumerate(code.places)]
    known = set(code.places)
    for event, n in zip(shown, of_events, strict=True):
        if n == number:
            extra = [name for name in (*event.locals, *event.cells) if name not in known]
            known.update(extra)
            found += [Variable(None, name, False) for name in extra]
    return found


def _arcs(code: Code) -> list[Arc]:
    at = {i.offset: row for row, i in enumerate(code.instructions)}
    jumps = [
        (at[i.offset], at[i.jump_target])
        for i in code.instructions
        if i.jump_target is not None and i.jump_target in at
    ]
    taken: list[list[tuple[int, int]]] = [[] for _ in range(_LANES)]
    arcs = []
    # The shortest are drawn closest to the listing.
    for start, end in sorted(jumps, key=lambda jump: (abs(jump[1] - jump[0]), jump)):
        low, high = min(start, end), max(start, end)
        free = (n for n, spans in enumerate(taken) if all(high < a or b < low for a, b in spans))
        lane = next(free, _LANES - 1)
        taken[lane].append((low, high))
        arcs.append(Arc(start, end, lane))
    return arcs
