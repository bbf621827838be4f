"""A call tree as a self-contained page, static without scripts and otherwise like SnakeViz."""

from __future__ import annotations

import html
import json
import zlib
from collections.abc import Mapping

from hpml.base.page import Page, asset
from hpml.base.tables import Table, format_seconds, readable
from hpml.profiling.call_tree import CallTree
from hpml.profiling.errors import ProfilingError

_WIDTH, _ROW = 960, 22
_DEPTHS = (3, 5, 10, 15, 20)
_CUTOFFS = (100, 1000, 10000)
# Light enough for dark text; one colour per file.
_COLOURS = ("#F5D0A9", "#CFE3F5", "#D5E8C8", "#F2CFD3", "#E3D6F0", "#F4E7A8", "#CDE8E4", "#E5DDD0")


def icicle(
    tree: CallTree, *, unit: str = "s", title: str = "", own: Mapping[str, float] | None = None
) -> Page:
    """Return the picture of a call tree: each frame is below its caller, as wide as its total.

    Frames whose times are estimates are hatched, and their times begin with "≈".
    """
    if tree.total <= 0:
        raise ProfilingError("The profile is empty; profile something that takes longer.")
    # Smaller frames are invisible and would only make the page large.
    tree = tree.pruned(tree.total / _CUTOFFS[-1])
    name = title or f"Calls by time, {_amount(tree.total, unit)} in total"
    body = (
        f'<div class="hpml-icicle" tabindex="0" data-lm-suppress-shortcuts="true" role="group" '
        f'aria-label="{html.escape(name)}">'
        f"<style>{asset(__package__, 'icicle.css')}</style>{_controls()}{_hatching(tree)}"
        f'<p class="hpml-icicle-about" aria-live="polite">{html.escape(_about(tree, unit))}</p>'
        f'<div class="hpml-icicle-picture">{_svg(tree, name)}</div>'
        f"{_heaviest(_own_times(tree) if own is None else own, unit)}"
        f'<script type="application/json">{_data(tree, unit)}</script>'
        f"<script>{asset(__package__, 'icicle.js')}</script></div>"
    )
    return Page(_plain(tree, unit), body)


def _amount(value: float, unit: str) -> str:
    return format_seconds(value) if unit == "s" else f"{readable(value, 4)} {unit}"


def _called(frame: CallTree) -> str:
    return called(frame.name, frame.place)


def called(name: str, place: str) -> str:
    """Return a function's name in the text below the picture."""
    return f"{name} ({place})" if place else name


def _own_times(tree: CallTree) -> dict[str, float]:
    own: dict[str, float] = {}
    for _, frame in tree.walk():
        own[_called(frame)] = own.get(_called(frame), 0.0) + frame.own
    return own


def _about(frame: CallTree, unit: str) -> str:
    total, own = _amount(frame.total, unit), _amount(frame.own, unit)
    return f"{_called(frame)}: {_about_equal(frame)}{total}, own {_about_equal(frame)}{own}"


def _about_equal(frame: CallTree) -> str:
    return "≈ " if frame.estimated else ""


def _hatching(tree: CallTree) -> str:
    """Return the pattern of estimated frames and what it means, if there are any."""
    if not any(frame.estimated for _, frame in tree.walk()):
        return ""
    return (
        '<svg class="hpml-icicle-pattern" width="0" height="0" aria-hidden="true"><defs>'
        '<pattern id="hpml-estimated" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path d="M 0 0 V 6"/>'
        '</pattern></defs></svg><p class="hpml-icicle-note">Hatched, ≈: an estimate. The profile '
        "does not say how the time of a function divides among its callers, or among the calls of "
        "a recursion.</p>"
    )


def _plain(tree: CallTree, unit: str) -> str:
    lines = []
    for depth, frame in tree.pruned(tree.total / 50).walk():
        if depth < 8:
            share = 100 * frame.total / tree.total
            lines.append(
                f"{'  ' * depth}{_called(frame)}  {_about_equal(frame)}"
                f"{_amount(frame.total, unit)} ({share:.1f}%)"
            )
    return "\n".join(lines)


def _colour(frame: CallTree) -> int:
    return zlib.crc32(frame.place.partition(":")[0].encode()) % len(_COLOURS)


def _svg(tree: CallTree, name: str) -> str:
    """Return the initial picture, ten levels below the root."""
    parts, depth_seen = [], 0
    waiting = [(tree, 0, 0.0)]
    scale = _WIDTH / tree.total
    while waiting:
        frame, depth, left = waiting.pop()
        width = frame.total * scale
        if width < 1 or depth > 10:
            continue
        depth_seen = max(depth_seen, depth)
        letters = int(width / 6.6) - 1
        label = frame.name if len(frame.name) <= letters else f"{frame.name[: letters - 1]}…"
        text = (
            f'<text x="{left + 4:.1f}" y="{depth * _ROW + 15}">{html.escape(label)}</text>'
            if letters > 2
            else ""
        )
        place = f'x="{left:.1f}" y="{depth * _ROW}" width="{width:.1f}" height="{_ROW - 1}"'
        hatched = f'<rect {place} class="hpml-estimated"/>' if frame.estimated else ""
        parts.append(
            f'<g><rect {place} fill="{_COLOURS[_colour(frame)]}">'
            f"<title>{html.escape(_called(frame))}</title></rect>{hatched}{text}</g>"
        )
        for child in frame.children:
            waiting.append((child, depth + 1, left))
            left += child.total * scale
    height = (depth_seen + 1) * _ROW
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{html.escape(name)}">'
        f"{''.join(parts)}</svg>"
    )


def _controls() -> str:
    def choice(label: str, options: list[tuple[str, str]], chosen: str) -> str:
        items = "".join(
            f'<option value="{value}"{" selected" if value == chosen else ""}>{text}</option>'
            for value, text in options
        )
        return f'<label>{label} <select data-set="{label.lower()}">{items}</select></label>'

    return (
        '<div class="hpml-icicle-controls" hidden>'
        + choice("Style", [("icicle", "icicle"), ("sunburst", "sunburst")], "icicle")
        + choice("Depth", [(str(d), str(d)) for d in _DEPTHS], "10")
        + choice("Cutoff", [(str(c), f"1 / {c:,}") for c in _CUTOFFS], "1000")
        + '<button type="button" data-reset>Reset</button>'
        + "<span>Click or Enter opens a frame, arrow keys move, Escape goes back.</span></div>"
    )


def _heaviest(own: Mapping[str, float], unit: str) -> str:
    """Return a folded table of the functions with most own time, which needs no script."""
    total = sum(own.values())
    rows = sorted(own.items(), key=lambda item: -item[1])[:15]
    table = Table(
        ["function", "own", "share"],
        [[name, value, value / total] for name, value in rows if value > 0],
        formats={"own": lambda value: _amount(value, unit), "share": "{:.1%}".format},
    )
    return f"<details><summary>Heaviest functions</summary>{table._repr_html_()}</details>"


def _data(tree: CallTree, unit: str) -> str:
    """Return the tree as JSON for the script, one row per frame."""
    texts: dict[str, int] = {}
    rows: list[list[float | None]] = []
    path: list[int] = []
    for depth, frame in tree.walk():
        del path[depth:]
        name, place = (texts.setdefault(text, len(texts)) for text in (frame.name, frame.place))
        own = float(f"{frame.own:.4g}")
        caller = path[-1] if path else -1
        row = [name, place, own, frame.calls, caller, _colour(frame), int(frame.estimated)]
        rows.append(row)
        path.append(len(rows) - 1)
    data = {"unit": unit, "colours": _COLOURS, "texts": list(texts), "rows": rows}
    # "</" would end the script element.
    return json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
