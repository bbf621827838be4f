"""The frames of a stepper: for each moment, what of the scene is marked and what stands in it."""

from __future__ import annotations

import html

from hpml.widgets.frames import Frame
from hpml.widgets.stepper_layout import Layout
from hpml.widgets.stepper_moments import Moment
from hpml.widgets.stepper_words import as_html, as_text, named

__all__ = ["frames_of"]

_CALLERS = 4
_PRINTED = 400
_PRINTED_LINES = 8


def frames_of(layout: Layout) -> list[Frame]:
    """Return a frame for each moment."""
    return [_frame(layout, number) for number in range(len(layout.moments))]


def _frame(layout: Layout, number: int) -> Frame:
    moment, code = layout.moments[number], layout.of_moments[number]
    texts: dict[str, str] = {}
    pieces = {"says": f"{as_html(moment.words)}."}
    marks = {f"I{code}": "shown", f"V{code}": "shown"}
    if moment.raised is not None or moment.kind in ("lands", "stopped"):
        marks["says"] = "bad" if moment.kind != "stopped" else "stopped"
    _pointer(layout, moment, code, marks, pieces)
    _stack(layout, moment, marks, texts)
    _variables(layout, moment, code, marks, texts)
    _guard(layout, moment, code, marks, pieces)
    if layout.depth:
        pieces["calls"] = _calls(moment)
    if printed := _printed(moment):
        pieces["out"] = printed
    return Frame(f"{as_text(moment.words)}.", marks=marks, texts=texts, pieces=pieces)


def _pointer(
    layout: Layout, moment: Moment, code: int, marks: dict[str, str], pieces: dict[str, str]
) -> None:
    """Mark the line and the instruction, where a jump leads, and what of the line is at work."""
    shown, source = layout.codes[code], layout.source_of[code]
    starts = moment.kind == "start"
    here = "soon" if starts else "bad" if moment.raised is not None else "at"
    row = layout.row_at(code, moment.step.offset)
    # Only a number is kept in sight: a wide row would be scrolled to its middle.
    if row is not None:
        marks[f"i{code}.{moment.step.offset}"] = here
        marks[f"o{code}.{moment.step.offset}"] = "here"
    if moment.goes_to is not None and layout.row_at(code, moment.goes_to) is not None:
        target = f"i{code}.{moment.goes_to}"
        marks[target] = f"{marks[target]} next" if target in marks else "next"
        for place, arc in enumerate(layout.arcs[code]):
            ends = shown.instructions[arc.end].offset
            if arc.start == row and ends == moment.goes_to:
                marks[f"a{code}.{place}"] = "lit"
    if source is None:
        marks |= {"no source": "shown"} if None in layout.source_of else {}
        return
    marks[f"S{source}"] = "shown"
    text = layout.sources[source]
    line = moment.line
    if line is not None and line - text.first in layout.lines[source]:
        marks[f"l{source}.{line}"] = here
        marks[f"n{source}.{line}"] = "here"
        span = shown.spans.get(moment.step.offset)
        if span is not None and not starts:
            place = list(layout.lines[source]).index(line - text.first)
            _, left, right = span
            style = f"--r:{place};--c:{left};--w:{right - left}"
            pieces[f"u{source}"] = f'<i class="piece" style="{style}"></i>'


def _stack(layout: Layout, moment: Moment, marks: dict[str, str], texts: dict[str, str]) -> None:
    highest = max(len(moment.stack), *(level + 1 for level, _ in moment.gone), 0)
    # The top of the stack is always seen; what was taken off may reach higher.
    below = max(0, min(highest - layout.levels, len(moment.stack) - 1))
    states: dict[int, list[str]] = {row: [] for row in range(layout.levels)}
    for level, value in enumerate(moment.stack[below:]):
        texts[f"K{level}"] = named(value)
        states[level].append("full")
        if level + below in moment.new:
            states[level].append("new")
        if value == "NULL":
            states[level].append("null")
    if moment.stack:
        states[len(moment.stack) - 1 - below].append("top")
    else:
        texts["K0"] = "empty"
        states[0].append("void")
    unseen = 0
    for level, value in moment.gone:
        if level - below >= layout.levels:
            unseen += 1
        elif level >= below:
            texts[f"G{level - below}"] = named(value)
            states[level - below].append("went")
    if below:
        texts["below"] = f"… and {below} more below"
    if unseen:
        texts["above"] = f"… {unseen} more were taken off"
    marks |= {f"k{row}": " ".join(state) for row, state in states.items() if state}


def _variables(
    layout: Layout, moment: Moment, code: int, marks: dict[str, str], texts: dict[str, str]
) -> None:
    values = {**moment.locals, **moment.cells}
    for place, variable in enumerate(layout.variables[code]):
        if variable.name in values:
            texts[f"w{code}.{place}"] = named(values[variable.name])
        state = ["written"] * (variable.name in moment.written)
        state += ["read"] * (variable.name in moment.read)
        if state:
            marks[f"v{code}.{place}"] = " ".join([*state, "here"])


def _guard(
    layout: Layout, moment: Moment, code: int, marks: dict[str, str], pieces: dict[str, str]
) -> None:
    if not any(shown.guards for shown in layout.codes):
        return
    guard = moment.step.guard
    if guard is None:
        pieces["guard"] = "Not guarded: an exception here would leave the function."
        return
    marks["guard"] = "on"
    pieces["guard"] = (
        f"Guarded by the exception table: an exception at <b>{guard.start}</b> to "
        f"<b>{guard.end - 2}</b> goes on at <b>{guard.target}</b>."
    )
    for place, entry in enumerate(layout.codes[code].guards):
        inside = entry.start <= moment.step.offset < entry.end and entry.target == guard.target
        # Without an instruction that has a row there is no bracket.
        if inside and layout.row_at(code, moment.step.offset) is not None:
            thrown = moment.goes_to == guard.target and marks.get("says") == "bad"
            marks[f"e{code}.{place}"] = "thrown" if thrown else "on"


def _calls(moment: Moment) -> str:
    """Return the functions that have not ended, the innermost first, as the stack has them."""
    where = "" if moment.line is None else f" line {moment.line}"
    items = [f"<li><b>{html.escape(moment.step.function)}</b>{where}</li>"]
    waiting = list(reversed(moment.callers))
    few = waiting if len(waiting) <= _CALLERS else waiting[: _CALLERS - 1]
    for step in few:
        line = "" if step.line is None else f" waits in line {step.line}"
        items.append(f"<li>{html.escape(step.function)}{line}</li>")
    if len(waiting) > len(few):
        items.append(f"<li>{len(waiting) - len(few)} more wait</li>")
    return "".join(items)


def _printed(moment: Moment) -> str:
    before, now = _last_of(moment.printed), _last_of(moment.prints)
    fresh = f"<b>{html.escape(now)}</b>" if now else ""
    return html.escape(before) + fresh


def _last_of(text: str) -> str:
    lines = text[-_PRINTED:].splitlines(keepends=True)[-_PRINTED_LINES:]
    kept = "".join(lines)
    return kept if len(kept) == len(text) else f"…{kept}"
