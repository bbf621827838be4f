"""The page of a code view: graph and source side by side, each pointing at the other.

The page stands by itself. The graph is a picture, with an invisible frame over each layer; a few
lines of script light up what belongs together. Where scripts do not run, in a notebook that is not
trusted, picture, listing and table are still there.
"""

from __future__ import annotations

import base64
import html
import io

from hpml.base.page import Page, asset
from hpml.widgets.code_view.state import Code, CodeView

_PIXELS = 84
"""Pixels on the page for an inch of the picture; the picture has twice as many."""


def headline(view: CodeView) -> str:
    """Return in a sentence or two what the code is."""
    code, state = view.code, view.state
    size = f"{_many(len(code.lines), 'line')}, {code.written:,} bytecode instructions"
    if state.loop_length is None:
        first = (
            f"{state.execution}: nothing is generated. The same function walks every graph: {size}."
        )
    else:
        first = f"{state.text()}: generated source of {size}."
    if code.executed is None:
        return f"{first} Those of a forward were not counted: the graph is large."
    return f"{first} One forward executes {code.executed:,} instructions outside of the layers."


def as_text(view: CodeView) -> str:
    """Return the whole view as plain text."""
    graph = view.graph
    counts = (
        f"{_many(len(graph.inputs), 'input')}, {_many(len(graph.calls), 'layer')}, "
        f"{_many(len(graph.outputs), 'output')}"
    )
    width = len(str(len(view.code.lines)))
    lines = [f"{n:>{width}}  {line}" for n, line in enumerate(view.code.lines, 1)]
    return "\n\n".join([headline(view), f"Graph: {counts}.", "\n".join(lines)])


def page(view: CodeView) -> Page:
    """Return the view as a page."""
    name, _, rest = headline(view).partition(":")
    picture, png = _graph(view)
    head = f"<p><b>{html.escape(name)}:</b>{html.escape(rest)}</p>"
    body = (
        f'<div class="hpml-code-view"><style>{asset(__package__, "code_view.css")}</style>{head}'
        f'<div class="hpml-sides">{picture}{_source(view)}</div>'
        f"<script>{asset(__package__, 'code_view.js')}</script></div>"
    )
    return Page(as_text(view), body, png)


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _source(view: CodeView) -> str:
    """Return the source that was generated, or, folded, the library's that walks the graph."""
    if view.state.loop_length is not None:
        return _listing(view.code)
    return (
        '<div class="hpml-other"><details><summary>The library\'s function, '
        f"{_many(len(view.code.lines), 'line')}</summary>{_listing(view.code)}</details></div>"
    )


def _listing(code: Code) -> str:
    spans = code.spans or ((0, 0),) * len(code.lines)
    rows = []
    for number, (line, (start, end)) in enumerate(zip(code.lines, spans, strict=True), 1):
        text, mark, comment = line.partition("  # ")
        written = html.escape(text) + (f"<i>{html.escape(mark + comment)}</i>" if mark else "")
        calls = f' data-calls="{start} {end}"' if start < end else ""
        rows.append(f"<li{calls}><b>{number}</b><span>{written or ' '}</span></li>")
    return (
        '<div class="hpml-side hpml-source" tabindex="0" data-lm-suppress-shortcuts="true" '
        'role="region" aria-label="Source; arrow keys move along its lines">'
        f"<ol>{''.join(rows)}</ol></div>"
    )


def _variables(view: CodeView) -> dict[int, str]:
    """Return for each value the variable of the source that it is first kept in, ``"h0: "``."""
    if not view.code.spans:
        return {}
    names = {value: f"i{place}: " for place, value in enumerate(view.graph.inputs)}
    for line, (start, end) in zip(view.code.lines, view.code.spans, strict=True):
        target, assigns, _ = line.strip().partition(" = ")
        if start < end and assigns:
            results = view.graph.calls[end - 1].results
            # A starred call makes several values at once, and each has a variable of its own.
            for result, name in zip(results, target.split(", "), strict=False):
                if result is not None:
                    names[result] = f"{name.strip('*,() ')}: "
    return names


def _graph(view: CodeView) -> tuple[str, bytes | None]:
    """Return the drawn graph as HTML and as PNG; a chain that is a loop is one box."""
    from hpml.base.drawing import DrawingError, Look, draw, fold_chains, lay_out, shares

    graph = view.graph
    names = _variables(view)
    loops = sorted({span for span in view.code.spans if span[1] - span[0] > 1})
    single = set(range(len(graph.calls))).difference(*(range(*span) for span in loops))
    groups = sorted([*((i,) for i in single), *(tuple(range(*span)) for span in loops)])
    try:
        # Without generated source no chain is a loop: long ones are folded as in any picture.
        layout = lay_out(
            graph,
            lambda value: names.get(value, "") + graph.values[value].text(),
            lambda call: graph.calls[call].name,
            groups=groups if view.code.spans else fold_chains(graph),
        )
    except DrawingError as error:
        return f'<div class="hpml-side hpml-graph"><p>{html.escape(str(error))}</p></div>', None
    figure = draw(layout, Look(graph.inputs, graph.outputs))
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=2 * _PIXELS)
    spots = [(label.calls[0], label.calls[-1] + 1, label.place) for label in layout.labels]
    maker = {result: i for i, call in enumerate(graph.calls) for result in call.results}
    for box in layout.boxes:
        if box.value in maker:
            made = maker[box.value]
            first = next((start for start, end in loops if start <= made < end), made)
            spots.append((first, made + 1, box.place))
    frames = ""
    for start, end, place in spots:
        name = graph.calls[start].name
        if end - start > 1:
            name += f" to {graph.calls[end - 1].name}"
        left, top, width, height = (f"{100 * share:.3f}%" for share in shares(figure, place))
        frames += (
            f'<span data-calls="{start} {end}" title="{html.escape(name)}" '
            f'style="left: {left}; top: {top}; width: {width}; height: {height};"></span>'
        )
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    pixels = round(figure.get_size_inches()[0] * _PIXELS)
    alt = html.escape(f"The graph: {_many(len(graph.calls), 'layer')} as boxes and lines")
    return (
        '<div class="hpml-side hpml-graph" tabindex="0" data-lm-suppress-shortcuts="true" '
        'role="region" aria-label="Graph; arrow keys move along its layers">'
        f'<div class="hpml-sheet" style="width: {pixels}px;">'
        f'<img src="data:image/png;base64,{data}" alt="{alt}" width="{pixels}">{frames}'
        "</div></div>",
        stream.getvalue(),
    )
