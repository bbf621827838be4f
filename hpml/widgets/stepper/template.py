"""The template of a stepper: source, instructions, value stack and variables."""

from __future__ import annotations

import html
from collections.abc import Sequence

from hpml.bytecode.disassembly import Instruction
from hpml.widgets.animation.animation import part, placeholder
from hpml.widgets.stepper.code import Code
from hpml.widgets.stepper.layout import Arc, Layout

_ROW = 22  # pixels; the style sheet says the same
_LANE = 8
_BRACKET = 10
_EMPTY = "·"


def template(layout: Layout) -> str:
    """Return the template."""
    codes = range(len(layout.codes))
    return (
        f'<p class="says" {part("says")}><span {placeholder("says")}></span></p><div class="bench">'
        f'<div class="panel text"><h4>Source{_jump(layout)}</h4>'
        f"{''.join(_source(layout, number) for number in dict.fromkeys(layout.source_of))}"
        f"{_printed(layout)}</div>"
        f'<div class="panel ops">{"".join(_listing(layout, code) for code in codes)}'
        f"{_guard(layout)}</div>"
        f'<div class="panel state">{_callers(layout)}{_stack(layout)}'
        f"{''.join(_values(layout, code) for code in codes)}</div></div>"
    )


def _jump(layout: Layout) -> str:
    """Return the list of lines to go to, where the script runs."""
    options = []
    for (source, line), places in sorted(layout.visits_of_lines().items()):
        text = layout.sources[source].lines[line - layout.sources[source].first].strip()
        label = html.escape(f"{line}: {text[:60]}")
        options.append(f'<option value="{_list(places)}">{label}</option>')
    if not options:
        return ""
    return (
        '<label class="jump" title="Goes to the next time that this line is executed; Enter goes '
        'to the time after that">Jump to line <select class="hpml-animation-go" '
        f'aria-label="Jump to line">{"".join(options)}</select></label>'
    )


def _source(layout: Layout, number: int | None) -> str:
    if number is None:
        return f'<p class="none" {part("no source")}>The source of this function was not found.</p>'
    source, visits = layout.sources[number], layout.visits_of_lines()
    rows = []
    for line, written in enumerate(source.lines, source.first):
        goes = visits.get((number, line))
        lead = f' data-go="{_list(goes)}" title="Go to the next time this runs"' if goes else ""
        text = html.escape(written) or " "
        rows.append(
            f'<div class="line" {part(f"l{number}.{line}")}{lead}><b {part(f"n{number}.{line}")}>'
            f"{line}</b> "
            f"<code>{text}</code></div>"
        )
    return (
        f'<div class="source hpml-animation-scroll" {part(f"S{number}")} {_scrolls("Source")}>'
        f'<div class="inner">'
        f"{''.join(rows)}<span {placeholder(f'u{number}')}></span></div></div>"
    )


def _printed(layout: Layout) -> str:
    if not any(event.prints for event in layout.events):
        return ""
    return f'<h4>Printed so far</h4><pre class="printed" {placeholder("out")}></pre>'


def _listing(layout: Layout, number: int) -> str:
    code, visits = layout.codes[number], layout.visits_of_rows()
    targets = {i.jump_target for i in code.instructions if i.jump_target is not None}
    rows: list[str] = []
    line = None
    for step in code.instructions:
        goes = visits.get((number, step.offset))
        lead = f' data-go="{_list(goes)}"' if goes else ""
        first = " first" if step.line != line and rows else ""
        shown = step.line if step.line != line and step.line is not None else ""
        line = step.line
        target = " target" if step.offset in targets else ""
        rows.append(
            f'<div class="row{first}{target}" {part(f"i{number}.{step.offset}")}{lead}>'
            f'<i class="ln">{shown}</i> <i class="of" {part(f"o{number}.{step.offset}")}>'
            f"{step.offset}</i> {_written(code, step)}</div>"
        )
    arcs, lanes = layout.arcs[number], 1 + max((a.lane for a in layout.arcs[number]), default=-1)
    wide = lanes * _LANE + 6 + (_BRACKET if code.guards else 0)
    guards = _guards_drawn(layout, number, wide)
    return (
        f'<div class="listing" {part(f"I{number}")}><h4>Instructions of '
        f"<code>{html.escape(code.name)}</code></h4>"
        f'<div class="hpml-animation-scroll" {_scrolls("Instructions")}>'
        f'<div class="inner" style="--gutter:{wide}px">'
        f"{_drawn(len(code.instructions), arcs, wide, number, guards)}{''.join(rows)}</div></div>"
        "</div>"
    )


def _written(code: Code, step: Instruction) -> str:
    arg = "" if step.arg is None else str(step.arg)
    argument, leads = step.argrepr, ""
    if step.jump_target is not None:
        arg, argument, leads = "", "", f"jumps to {step.jump_target}"
    guarded = [g for g in code.guards if g.target == step.offset]
    if guarded:
        stretches = ", ".join(f"{g.start}–{g.end - 2}" for g in guarded[:2])
        leads = f"{leads} catches from {stretches}{' …' if len(guarded) > 2 else ''}".lstrip()
    full = " ".join(filter(None, (step.opname, arg, argument, leads)))
    return (
        f'<span class="op" title="{html.escape(full)}">{html.escape(step.opname)}'
        + (f" <b>{arg}</b>" if arg else "")
        + (f" <em>{html.escape(argument)}</em>" if argument else "")
        + (f' <em class="jumps">{leads}</em>' if leads else "")
        + "</span>"
    )


def _drawn(rows: int, arcs: Sequence[Arc], wide: int, number: int, guards: str) -> str:
    if not arcs and not guards:
        return ""
    high = rows * _ROW
    paths = []
    for place, arc in enumerate(arcs):
        x = wide - 6 - (arc.lane + 1) * _LANE + 3
        # A row may be left by one jump and reached by another: not at the same height.
        y1, y2 = arc.start * _ROW + _ROW / 2 + 3, arc.end * _ROW + _ROW / 2 - 2
        paths.append(
            f'<g {part(f"a{number}.{place}")}><path d="M{wide - 2} {y1:g}H{x + 3:g}Q{x} {y1:g} {x} '
            f"{y1 + (3 if y2 > y1 else -3):g}V{y2 + (-3 if y2 > y1 else 3):g}Q{x} {y2:g} {x + 3} "
            f'{y2:g}H{wide - 6}"/><path class="tip" d="M{wide - 1} {y2:g}l-6 -3.5v7z"/></g>'
        )
    return (
        f'<svg class="arcs" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'aria-hidden="true">{"".join(paths)}{guards}</svg>'
    )


def _guards_drawn(layout: Layout, number: int, wide: int) -> str:
    """Return a bracket around each guarded stretch, with an arrow to where its exceptions go."""
    code = layout.codes[number]
    at = {each.offset: place * _ROW for place, each in enumerate(code.instructions)}
    groups = []
    for place, guard in enumerate(code.guards):
        covered = [y for offset, y in at.items() if guard.start <= offset < guard.end]
        top, bottom, y = covered[0] + 3, covered[-1] + _ROW - 3, at[guard.target] + _ROW // 2
        lines = f"M9 {top}H3V{bottom}H9M3 {bottom}V{y}H{wide - 6}"
        tip = f'<path class="tip" d="M{wide - 1} {y}l-7 -4v8z"/>'
        groups.append(
            f'<g class="guarded" {part(f"e{number}.{place}")}><path d="{lines}"/>{tip}</g>'
        )
    return "".join(groups)


def _guard(layout: Layout) -> str:
    if not any(code.guards for code in layout.codes):
        return ""
    return f'<p class="guard" {part("guard")}><span {placeholder("guard")}></span></p>'


def _callers(layout: Layout) -> str:
    if not layout.depth:
        return ""
    # The innermost on top, as the stack has them; each waits in a place of its own, so that what
    # is open stays open while the functions that it called go on.
    waiting = "".join(
        f"<div {placeholder(f'q{depth}')}></div>" for depth in reversed(range(layout.depth))
    )
    return (
        "<h4>Calls <small>click one that waits to see its stack</small></h4>"
        f'<div class="calls" style="--rows:{min(layout.depth, 4) + 1}">'
        f"<p {placeholder('calls')}></p>{waiting}</div>"
    )


def _stack(layout: Layout) -> str:
    rows = []
    for row in reversed(range(layout.levels)):
        rows.append(
            f'<div class="level" {part(f"k{row}")}><i></i> '
            f'<span class="kept" {placeholder(f"K{row}")}>'
            f'</span> <span class="gone" {placeholder(f"G{row}")}></span></div>'
        )
    return (
        '<div class="stack"><h4>Value stack <small>grows upward</small></h4>'
        f'<div class="levels hpml-animation-scroll">{"".join(rows)}</div>'
        '<p class="floor"><i></i> <span>bottom</span> <span>taken off</span></p></div>'
    )


def _values(layout: Layout, number: int) -> str:
    variables = layout.variables[number]
    head = "<h4>Values array <small>the local variables</small></h4>"
    if not variables:
        body = '<p class="none">This function has no variables of its own.</p>'
        return f'<div class="values" {part(f"V{number}")}>{head}{body}</div>'
    rows = []
    for place, variable in enumerate(variables):
        index = _EMPTY if variable.index is None else variable.index
        cell = " <small>cell</small>" if variable.is_cell else ""
        rows.append(
            f"<tr {part(f'v{number}.{place}')}><td>{index}</td><td>{html.escape(variable.name)}"
            f"{cell}</td><td {placeholder(f'w{number}.{place}')}></td></tr>"
        )
    return (
        f'<div class="values" {part(f"V{number}")}>{head}'
        f'<div class="hpml-animation-scroll" {_scrolls("Variables")}><table>'
        "<thead><tr><th>index</th><th>name</th><th>value</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _scrolls(name: str) -> str:
    """Return what lets the keyboard reach a part that scrolls, under a name."""
    return f'tabindex="0" role="group" aria-label="{name}"'


def _list(places: Sequence[int]) -> str:
    return " ".join(map(str, places))
