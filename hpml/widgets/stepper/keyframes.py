"""Make the keyframes of a stepper from its events."""

from __future__ import annotations

import html

from hpml.widgets.animation.animation import Keyframe
from hpml.widgets.stepper.captions import as_html, as_text, without_brackets
from hpml.widgets.stepper.events import Event
from hpml.widgets.stepper.layout import Layout

_PRINTED = 400
_PRINTED_LINES = 8


def keyframe(layout: Layout, number: int) -> Keyframe:
    """Return the keyframe of an event."""
    event, code = layout.events[number], layout.of_events[number]
    texts: dict[str, str] = {}
    pieces = {"says": f"{as_html(event.words)}."}
    marks = {f"I{code}": "shown", f"V{code}": "shown"}
    if event.raised is not None or event.kind in ("lands", "stopped"):
        marks["says"] = "bad" if event.kind != "stopped" else "stopped"
    _pointer(layout, event, code, marks, pieces)
    _stack(layout, event, marks, texts)
    _variables(layout, event, code, marks, texts)
    _guard(layout, event, code, marks, pieces)
    if layout.depth:
        pieces |= _calls(event)
    if printed := _printed(event):
        pieces["out"] = printed
    return Keyframe(f"{as_text(event.words)}.", marks=marks, texts=texts, pieces=pieces)


def _pointer(
    layout: Layout, event: Event, code: int, marks: dict[str, str], pieces: dict[str, str]
) -> None:
    """Mark the current line, its executed part, the instruction, and the target of a jump."""
    shown, source = layout.codes[code], layout.source_of[code]
    starts = event.kind == "start"
    state = "soon" if starts else "bad" if event.raised is not None else "at"
    # "here" is on the number only: a wide row would be scrolled to its middle.
    marks[f"i{code}.{event.step.offset}"] = state
    marks[f"o{code}.{event.step.offset}"] = "here"
    if event.goes_to is not None:
        target = f"i{code}.{event.goes_to}"
        marks[target] = f"{marks[target]} next" if target in marks else "next"
        for index, arc in enumerate(layout.arcs[code]):
            ends = [shown.instructions[row].offset for row in (arc.start, arc.end)]
            if ends == [event.step.offset, event.goes_to]:
                marks[f"a{code}.{index}"] = "lit"
    if source is None:
        marks |= {"no source": "shown"} if None in layout.source_of else {}
        return
    marks[f"S{source}"] = "shown"
    text = layout.sources[source]
    line = event.step.line
    if line is not None and 0 <= line - text.first < len(text.lines):
        marks[f"l{source}.{line}"] = state
        marks[f"n{source}.{line}"] = "here"
        span = shown.spans.get(event.step.offset)
        if span is not None and not starts:
            _, left, right = span
            style = f"--r:{line - text.first};--c:{left};--w:{right - left}"
            pieces[f"u{source}"] = f'<i class="piece" style="{style}"></i>'


def _stack(layout: Layout, event: Event, marks: dict[str, str], texts: dict[str, str]) -> None:
    states: dict[int, list[str]] = {row: [] for row in range(layout.levels)}
    for level, value in enumerate(event.stack):
        texts[f"K{level}"] = without_brackets(value)
        states[level] += ["full", *["new"] * (level in event.new), *["null"] * (value == "NULL")]
    if event.stack:
        states[len(event.stack) - 1] += ["top", "here"]
    else:
        texts["K0"] = "empty"
        states[0].append("void")
    for level, value in event.gone:
        texts[f"G{level}"] = without_brackets(value)
        states[level].append("went")
    marks |= {f"k{row}": " ".join(state) for row, state in states.items() if state}


def _variables(
    layout: Layout, event: Event, code: int, marks: dict[str, str], texts: dict[str, str]
) -> None:
    values = {**event.step.locals, **event.step.cells}
    for index, variable in enumerate(layout.variables[code]):
        if variable.name in values:
            texts[f"w{code}.{index}"] = without_brackets(values[variable.name])
        state = ["written"] * (variable.name in event.written)
        state += ["read"] * (variable.name in event.read)
        if state:
            marks[f"v{code}.{index}"] = " ".join([*state, "here"])


def _guard(
    layout: Layout, event: Event, code: int, marks: dict[str, str], pieces: dict[str, str]
) -> None:
    if not any(shown.guards for shown in layout.codes):
        return
    guard = event.step.guard
    if guard is None:
        pieces["guard"] = "Not guarded: an exception leaves the function."
        return
    marks["guard"] = "on"
    pieces["guard"] = (
        f"Guarded by the exception table: an exception at <b>{guard.start}</b> to "
        f"<b>{guard.end - 2}</b> continues at <b>{guard.target}</b>."
    )
    for index, entry in enumerate(layout.codes[code].guards):
        inside = entry.start <= event.step.offset < entry.end and entry.target == guard.target
        if inside:
            thrown = event.goes_to == guard.target and marks.get("says") == "bad"
            marks[f"e{code}.{index}"] = "thrown" if thrown else "on"


def _calls(event: Event) -> dict[str, str]:
    """Return the running function, and each waiting call with its stack and variables."""
    where = "" if event.step.line is None else f" line {event.step.line}"
    pieces = {"calls": f"<b>{html.escape(event.step.function)}</b>{where}"}
    for depth, step in enumerate(event.callers):
        line = "" if step.line is None else f" waits in line {step.line}"
        # A call has popped its operands; resuming a generator leaves the stack unchanged.
        stack = step.stack_after if step.called is not None else step.stack_before
        boxes = "".join(f"<code>{html.escape(without_brackets(value))}</code>" for value in stack)
        names = {**step.locals, **step.cells}
        values = ", ".join(f"{name} = {without_brackets(value)}" for name, value in names.items())
        pieces[f"q{depth}"] = (
            f"<details><summary>{html.escape(step.function)}{line}</summary>"
            f"<p>stack, bottom first: {boxes or 'empty'}</p>"
            f"<p>variables: {html.escape(values) or 'none'}</p></details>"
        )
    return pieces


def _printed(event: Event) -> str:
    before, now = _last_of(event.printed), _last_of(event.prints)
    fresh = f"<b>{html.escape(now)}</b>" if now else ""
    return html.escape(before) + fresh


def _last_of(text: str) -> str:
    lines = text[-_PRINTED:].splitlines(keepends=True)[-_PRINTED_LINES:]
    kept = "".join(lines)
    return kept if len(kept) == len(text) else f"…{kept}"
