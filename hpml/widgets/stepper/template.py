"""The template of a stepper: source, instructions, value stack and variables."""

from __future__ import annotations

import html
from collections.abc import Sequence

from hpml.bytecode.disassembly import Instruction
from hpml.widgets.animation.animation import part, placeholder
from hpml.widgets.stepper.code import Code
from hpml.widgets.stepper.layout import Arc, Layout

_ROW = 22  # pixels, as in the style sheet
_LANE = 8
_BRACKET = 10
_EMPTY = "·"


def template(layout: Layout) -> str:
    """Return the template of the stepper's animation."""
    codes = range(len(layout.codes))
    return (
        f'<p class="says" {part("says")}><span {placeholder("says")}></span></p><div class="bench">'
        f'<div class="panel text"><p class="head">Source</p>'
        f"{''.join(_source(layout, number) for number in dict.fromkeys(layout.source_of))}"
        f"{_printed(layout)}</div>"
        f'<div class="panel ops">{"".join(_listing(layout, code) for code in codes)}'
        f"{_guard(layout)}</div>"
        f'<div class="panel state">{_callers(layout)}{_stack(layout)}'
        f"{''.join(_values(layout, code) for code in codes)}</div></div>"
    )


def _source(layout: Layout, number: int | None) -> str:
    if number is None:
        return f'<p class="none" {part("no source")}>The source of this function was not found.</p>'
    source, visits = layout.sources[number], layout.visits_of_lines()
    rows = []
    for line, code in enumerate(source.lines, source.first):
        at = visits.get((number, line))
        link = f' data-go="{_list(at)}" title="Go to the next execution"' if at else ""
        text = html.escape(code) or " "
        rows.append(
            f'<div class="line" {part(f"l{number}.{line}")}{link}><b {part(f"n{number}.{line}")}>'
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
    return f'<p class="head">Printed so far</p><pre class="printed" {placeholder("out")}></pre>'


def _listing(layout: Layout, number: int) -> str:
    code, visits = layout.codes[number], layout.visits_of_rows()
    targets = {i.jump_target for i in code.instructions if i.jump_target is not None}
    rows: list[str] = []
    line = None
    for step in code.instructions:
        at = visits.get((number, step.offset))
        link = f' data-go="{_list(at)}"' if at else ""
        first = " first" if step.line != line and rows else ""
        shown = step.line if step.line != line and step.line is not None else ""
        line = step.line
        target = " target" if step.offset in targets else ""
        rows.append(
            f'<div class="row{first}{target}" {part(f"i{number}.{step.offset}")}{link}>'
            f'<i class="ln">{shown}</i> <i class="of" {part(f"o{number}.{step.offset}")}>'
            f"{step.offset}</i> {_instruction(code, step)}</div>"
        )
    arcs, lanes = layout.arcs[number], 1 + max((a.lane for a in layout.arcs[number]), default=-1)
    width = lanes * _LANE + 6 + (_BRACKET if code.guards else 0)
    guards = _guard_brackets(layout, number, width)
    return (
        f'<div class="listing" {part(f"I{number}")}><p class="head">Instructions of '
        f"<code>{html.escape(code.name)}</code></p>"
        f'<div class="hpml-animation-scroll" {_scrolls("Instructions")}>'
        f'<div class="inner" style="--gutter:{width}px">'
        f"{_arrows(len(code.instructions), arcs, width, number, guards)}{''.join(rows)}</div></div>"
        "</div>"
    )


def _instruction(code: Code, step: Instruction) -> str:
    arg = "" if step.arg is None else str(step.arg)
    argument, jumps = step.argrepr, ""
    if step.jump_target is not None:
        arg, argument, jumps = "", "", f"jumps to {step.jump_target}"
    guarded = [g for g in code.guards if g.target == step.offset]
    if guarded:
        ranges = ", ".join(f"{g.start}–{g.end - 2}" for g in guarded[:2])
        jumps = f"{jumps} catches from {ranges}{' …' if len(guarded) > 2 else ''}".lstrip()
    full = " ".join(filter(None, (step.opname, arg, argument, jumps)))
    return (
        f'<span class="op" title="{html.escape(full)}">{html.escape(step.opname)}'
        + (f" <b>{arg}</b>" if arg else "")
        + (f" <em>{html.escape(argument)}</em>" if argument else "")
        + (f' <em class="jumps">{jumps}</em>' if jumps else "")
        + "</span>"
    )


def _arrows(rows: int, arcs: Sequence[Arc], width: int, number: int, guards: str) -> str:
    if not arcs and not guards:
        return ""
    height = rows * _ROW
    paths = []
    for index, arc in enumerate(arcs):
        x = width - 6 - (arc.lane + 1) * _LANE + 3
        # A jump from a row and a jump to it differ in height.
        y1, y2 = arc.start * _ROW + _ROW / 2 + 3, arc.end * _ROW + _ROW / 2 - 2
        paths.append(
            f'<g {part(f"a{number}.{index}")}><path d="M{width - 2} {y1:g}H{x + 3:g}Q{x} {y1:g} '
            f"{x} {y1 + (3 if y2 > y1 else -3):g}V{y2 + (-3 if y2 > y1 else 3):g}Q{x} {y2:g} "
            f'{x + 3} {y2:g}H{width - 6}"/>'
            f'<path class="tip" d="M{width - 1} {y2:g}l-6 -3.5v7z"/></g>'
        )
    return (
        f'<svg class="arcs" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'aria-hidden="true">{"".join(paths)}{guards}</svg>'
    )


def _guard_brackets(layout: Layout, number: int, width: int) -> str:
    """Return a bracket around each guarded range, with an arrow to its handler."""
    code = layout.codes[number]
    y_of = {each.offset: row * _ROW for row, each in enumerate(code.instructions)}
    groups = []
    for index, guard in enumerate(code.guards):
        covered = [y for offset, y in y_of.items() if guard.start <= offset < guard.end]
        top, bottom, y = covered[0] + 3, covered[-1] + _ROW - 3, y_of[guard.target] + _ROW // 2
        lines = f"M9 {top}H3V{bottom}H9M3 {bottom}V{y}H{width - 6}"
        tip = f'<path class="tip" d="M{width - 1} {y}l-7 -4v8z"/>'
        groups.append(
            f'<g class="guarded" {part(f"e{number}.{index}")}><path d="{lines}"/>{tip}</g>'
        )
    return "".join(groups)


def _guard(layout: Layout) -> str:
    if not any(code.guards for code in layout.codes):
        return ""
    return f'<p class="guard" {part("guard")}><span {placeholder("guard")}></span></p>'


def _callers(layout: Layout) -> str:
    if not layout.depth:
        return ""
    # The innermost on top; each call has a placeholder of its own, so its details stay open.
    waiting = "".join(
        f"<div {placeholder(f'q{depth}')}></div>" for depth in reversed(range(layout.depth))
    )
    return (
        '<p class="head">Calls <small>click a waiting call to see its stack</small></p>'
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
        '<div class="stack"><p class="head">Value stack <small>grows upward</small></p>'
        f'<div class="levels hpml-animation-scroll">{"".join(rows)}</div>'
        '<p class="floor"><i></i> <span>bottom</span> <span>taken off</span></p></div>'
    )


def _values(layout: Layout, number: int) -> str:
    variables = layout.variables[number]
    head = '<p class="head">Values array <small>the local variables</small></p>'
    if not variables:
        body = '<p class="none">This function has no local variables.</p>'
        return f'<div class="values" {part(f"V{number}")}>{head}{body}</div>'
    rows = []
    for row, variable in enumerate(variables):
        index = _EMPTY if variable.index is None else variable.index
        cell = " <small>cell</small>" if variable.is_cell else ""
        rows.append(
            f"<tr {part(f'v{number}.{row}')}><td>{index}</td><td>{html.escape(variable.name)}"
            f"{cell}</td><td {placeholder(f'w{number}.{row}')}></td></tr>"
        )
    return (
        f'<div class="values" {part(f"V{number}")}>{head}'
        f'<div class="hpml-animation-scroll" {_scrolls("Variables")}><table>'
        "<thead><tr><th>index</th><th>name</th><th>value</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def _scrolls(name: str) -> str:
    """Return attributes that make a scrolling part reachable by keyboard."""
    return f'tabindex="0" role="group" aria-label="{name}"'


def _list(visits: Sequence[int]) -> str:
    return " ".join(map(str, visits))
