"""A call tree as a self-contained page, static without scripts and otherwise like SnakeViz."""

from __future__ import annotations

import html
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

from hpml.base.page import Page, asset
from hpml.base.tables import Table, format_seconds, readable
from hpml.profiling.errors import ProfilingError

_WIDTH, _ROW = 960, 30
_DEPTHS = (3, 5, 10, 15, 20)
_CUTOFFS = (100, 1000, 10000)
# Light enough for dark text; one colour per file.
_COLOURS = ("#F5D0A9", "#CFE3F5", "#D5E8C8", "#F2CFD3", "#E3D6F0", "#F4E7A8", "#CDE8E4", "#E5DDD0")


class Frame(Protocol):
    """What the picture needs of a call tree, such as `hpml.profiling.call_tree.CallTree`."""

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def own(self) -> float: ...
    @property
    def total(self) -> float: ...
    @property
    def calls(self) -> int | None: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def children(self) -> Sequence[Self]: ...
    def walk(self) -> Iterator[tuple[int, Self]]: ...
    def pruned(self, smallest: float) -> Self: ...


def _of_its_file(frame: Frame) -> int:
    return zlib.crc32(frame.place.partition(":")[0].encode()) % len(_COLOURS)


@dataclass(frozen=True)
class Look:
    """How frames are drawn and described.

    Attributes:
        colours: the colours of frames, light enough for dark text.
        colour: returns the index of a frame's colour.
        says: returns what the text below the picture says of a frame, in place of its times.
        label: returns the text in a frame; by default its name.
        note: a paragraph above the picture, as HTML.
        table: the folded table below the picture, as HTML; by default the heaviest functions.
    """

    colours: Sequence[str] = _COLOURS
    colour: Callable[[Frame], int] = _of_its_file
    says: Callable[[Frame], str] | None = None
    label: Callable[[Frame], str] = lambda frame: frame.name
    note: str = ""
    table: str = ""


_PLAIN = Look()


def icicle(
    tree: Frame,
    *,
    unit: str = "s",
    title: str = "",
    own: Mapping[str, float] | None = None,
    look: Look = _PLAIN,
) -> Page:
    """Return the picture of a call tree: each frame is below its caller, as wide as its total.

    Frames whose times are estimates are hatched, and their times begin with "≈".
    """
    if tree.total <= 0:
        raise ProfilingError(
            "The profile is empty.",
            object="tree of an icicle",
            expected="a total above 0",
            received=f"{tree.total:g}",
            remedy="Profile something that takes longer.",
        )
    # Smaller frames are invisible and would only make the page large.
    tree = tree.pruned(tree.total / _CUTOFFS[-1])
    name = title or f"Calls by time, {_amount(tree.total, unit)} in total"
    body = (
        f'<div class="hpml-icicle" tabindex="0" data-lm-suppress-shortcuts="true" role="group" '
        f'aria-label="{html.escape(name)}">'
        f"<style>{asset(__package__, 'icicle.css')}</style>"
        f"{_controls()}{_hatching(tree)}{look.note}"
        f'<p class="hpml-icicle-about" aria-live="polite">'
        f"{html.escape(_about(tree, unit, look))}</p>"
        f'<div class="hpml-icicle-picture">{_svg(tree, name, look)}</div>'
        f"{look.table or _heaviest(_own_times(tree) if own is None else own, unit)}"
        f'<script type="application/json">{_data(tree, unit, look)}</script>'
        f"<script>{asset(__package__, 'icicle.js')}</script></div>"
    )
    return Page(_plain(tree, unit, look), body)


def _amount(value: float, unit: str) -> str:
    return format_seconds(value) if unit == "s" else f"{readable(value, 4)} {unit}"


def _called(frame: Frame) -> str:
    return called(frame.name, frame.place)


def called(name: str, place: str) -> str:
    """Return a function's name in the text below the picture."""
    return f"{name} ({place})" if place else name


def _own_times(tree: Frame) -> dict[str, float]:
    own: dict[str, float] = {}
    for _, frame in tree.walk():
        own[_called(frame)] = own.get(_called(frame), 0.0) + frame.own
    return own


def _about(frame: Frame, unit: str, look: Look) -> str:
    if look.says is not None:
        return f"{_called(frame)}: {look.says(frame)}"
    total, own = _amount(frame.total, unit), _amount(frame.own, unit)
    return f"{_called(frame)}: {_about_equal(frame)}{total}, own {_about_equal(frame)}{own}"


def _about_equal(frame: Frame) -> str:
    return "≈ " if frame.estimated else ""


def _hatching(tree: Frame) -> str:
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


def _plain(tree: Frame, unit: str, look: Look) -> str:
    lines = []
    for depth, frame in tree.pruned(tree.total / 50).walk():
        if depth < 8:
            share = 100 * frame.total / tree.total
            said = f"{_about_equal(frame)}{_amount(frame.total, unit)} ({share:.1f}%)"
            said = said if look.says is None else look.says(frame)
            lines.append(f"{'  ' * depth}{_called(frame)}  {said}")
    return "\n".join(lines)


def _svg(tree: Frame, name: str, look: Look) -> str:
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
        letters = int(width / 8.5) - 1
        label = look.label(frame)
        label = label if len(label) <= letters else f"{label[: letters - 1]}…"
        text = (
            f'<text x="{left + 4:.1f}" y="{depth * _ROW + 20}">{html.escape(label)}</text>'
            if letters > 2
            else ""
        )
        place = f'x="{left:.1f}" y="{depth * _ROW}" width="{width:.1f}" height="{_ROW - 1}"'
        hatched = f'<rect {place} class="hpml-estimated"/>' if frame.estimated else ""
        parts.append(
            f'<g><rect {place} fill="{look.colours[look.colour(frame)]}">'
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


def _data(tree: Frame, unit: str, look: Look) -> str:
    """Return the tree as JSON for the script, one row per frame.

    A row of a look that describes its frames ends with the label and the description.
    """
    texts: dict[str, int] = {}
    rows: list[list[float | str | None]] = []
    path: list[int] = []
    for depth, frame in tree.walk():
        del path[depth:]
        name, place = (texts.setdefault(text, len(texts)) for text in (frame.name, frame.place))
        own = float(f"{frame.own:.4g}")
        caller = path[-1] if path else -1
        colour, estimated = look.colour(frame), int(frame.estimated)
        said = [look.label(frame), look.says(frame)] if look.says is not None else []
        rows.append([name, place, own, frame.calls, caller, colour, estimated, *said])
        path.append(len(rows) - 1)
    data = {"unit": unit, "colours": look.colours, "texts": list(texts), "rows": rows}
    # "</" would end the script element.
    return json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
