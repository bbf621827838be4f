"""The ruler of a quantisation: choose the bits and an outlier, and see where weights may lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from hpml.base.tables import Table, readable
from hpml.course.labs.lab_14_runtimes.exercises import nearest
from hpml.course.labs.lab_14_runtimes.quantised import Quantise
from hpml.widgets.animation.animation import Animation, Keyframe, part, placeholder

BITS = (8, 6, 4, 3)
"""The choices for the number of bits."""
SIZES = (1, 2, 4, 8, 16)
"""The choices for the outlier, in units of the largest other weight."""
PAIRS = [(bits, size) for bits in BITS for size in SIZES]

_LEFT, _WIDTH = 20, 760
_NEAR = 1.4  # how far the magnified ruler goes: no weight is rounded to more, in any of the states
_CELL_LEFT, _CELL_WIDTH, _CELL_HEIGHT = 120, 92, 26
_STYLE = """
& svg {display: block; max-width: 100%; height: auto;}
& text {fill: var(--hpml-ink); font: 13px var(--jp-ui-font-family, sans-serif);}
& .ruler {stroke: var(--hpml-line); stroke-width: 1;}
& .weight {fill: var(--hpml-in);} & .outlier {fill: var(--hpml-accent);}
& .moved {stroke: var(--hpml-in); stroke-width: 1.2; fill: none;}
& .zoom {fill: var(--hpml-in-ground); stroke: none;}
& .cell {cursor: pointer;}
& .cell rect {fill: var(--hpml-accent);}
& .cell[data-on] rect {stroke: var(--hpml-ink); stroke-width: 3;}
& .cell:focus-visible {outline: none;}
& .cell:focus-visible rect {stroke: var(--hpml-in); stroke-width: 4;}
"""


@dataclass(frozen=True)
class Rounded:
    """Weights after rounding beside an outlier, which shares their scale."""

    weights: Sequence[float]
    outlier: float
    bits: int
    scale: float
    back: Sequence[float]  # the weights that the integers stand for

    @property
    def error(self) -> float:
        """The average error, divided by the average size of a weight.

        >>> Rounded([1.0, -1.0], 2.0, 3, 2.0, [2.0, 0.0]).error
        1.0
        """
        errors = (abs(a - b) for a, b in zip(self.weights, self.back, strict=True))
        return fmean(errors) / fmean(map(abs, self.weights))

    @property
    def line(self) -> str:
        """The state in one sentence."""
        times = self.outlier / max(map(abs, self.weights))
        return (
            f"{self.bits} bits, outlier {times:.0f} × the largest other weight: a step of "
            f"{readable(self.scale)}; on average the others are off by "
            f"{_percent(self.error)} of their size"
        )


def round_beside(
    weights: Sequence[float], size: float, bits: int, quantise: Quantise = nearest
) -> Rounded:
    """Return the weights after rounding beside an outlier of `size` times the largest of them."""
    outlier = size * max(map(abs, weights))
    integers, scale = quantise([*weights, outlier], bits)
    return Rounded(weights, outlier, bits, scale, [scale * each for each in integers[:-1]])


def outlier_ruler(weights: Sequence[float], quantise: Quantise | None = None) -> Animation:
    """Return the ruler of some weights, drawn by the student's `quantise` if it works."""
    states = None if quantise is None else _rounded_by(quantise, weights)
    source = "your function" if states else "the exercise's rule; yours is not right yet"
    states = states or [round_beside(weights, size, bits) for bits, size in PAIRS]
    rows = [
        [*pair, state.scale, _percent(state.error)]
        for pair, state in zip(PAIRS, states, strict=True)
    ]
    columns = ["bits", "outlier / largest other weight", "step", "average error of the others"]
    return Animation(
        f"{len(weights)} weights and an outlier share a scale: choose the bits and the outlier. "
        f"Drawn by {source}",
        _template(states),
        [_keyframe(*each) for each in zip(PAIRS, states, strict=True)],
        style=_STYLE,
        kind="ruler",
        table=Table(columns, rows, formats={"step": readable}),
        columns=len(SIZES),
        start=PAIRS.index((4, 4)),  # the first pairs show no harm
        labels=[f"{bits} bits, outlier {size} ×" for bits, size in PAIRS],
    )


def _rounded_by(quantise: Quantise, weights: Sequence[float]) -> list[Rounded] | None:
    """Return all states by the student's function, or None if it fails the exercise's example."""
    try:
        integers, scale = quantise([0.3, -1.0, 0.26], 8)
        if list(integers) != [38, -127, 33] or abs(scale - 1 / 127) > 1e-9:
            return None
        states = [round_beside(weights, size, bits, quantise) for bits, size in PAIRS]
        return states if all(state.error >= 0 for state in states) else None
    except Exception:  # noqa: BLE001 - unfinished code may raise anything
        return None


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share > 0.095 else f"{100 * share:.1f} %"


def _keyframe(pair: tuple[int, int], state: Rounded) -> Keyframe:
    bits, size = pair
    pieces = {"all": _all(state), "others": _others(state)}
    return Keyframe(state.line, marks={f"{bits} {size}": "here"}, pieces=pieces)


def _all(state: Rounded) -> str:
    """Return the whole ruler, with the weights and the outlier at their values."""
    half = 1.04 * SIZES[-1] * max(map(abs, state.weights))
    near = _NEAR * max(map(abs, state.weights))
    left, right = _at(-near, half), _at(near, half)
    dots = "".join(_dot("weight", each, half, 34) for each in state.weights)
    return (
        f'<text x="{_LEFT}" y="14">weights (blue), the outlier (orange), and the '
        f"{2**state.bits - 1} values that integers of {state.bits} bits stand for</text>"
        f'<rect class="zoom" x="{left}" y="24" width="{round(right - left, 1)}" height="40"/>'
        f"{_ticks(state, half, 42, 58)}{dots}{_dot('outlier', state.outlier, half, 34)}"
    )


def _others(state: Rounded) -> str:
    """Return the part of the ruler around the weights; a line leads to where each is rounded."""
    half = _NEAR * max(map(abs, state.weights))
    dots = "".join(_dot("weight", each, half, 34) for each in state.weights)
    moved = "".join(
        f"M{_at(weight, half)} 38L{_at(back, half)} 84"
        for weight, back in zip(state.weights, state.back, strict=True)
    )
    used = len({round(each / state.scale) for each in state.back})
    return (
        f'<rect class="zoom" x="{_LEFT}" y="24" width="{_WIDTH}" height="80"/>'
        f'<text x="{_LEFT}" y="16">the others, magnified: rounded to {used} different '
        f"{'value' if used == 1 else 'values'}; average error {_percent(state.error)}</text>"
        f'<path class="moved" d="{moved}"/>{dots}{_ticks(state, half, 84, 100)}'
    )


def _ticks(state: Rounded, half: float, top: int, bottom: int) -> str:
    most = 2 ** (state.bits - 1) - 1
    places = (state.scale * integer for integer in range(-most, most + 1))
    path = "".join(f"M{_at(each, half)} {top}V{bottom}" for each in places if abs(each) <= half)
    return f'<path class="ruler" d="{path}M{_LEFT} {bottom}h{_WIDTH}"/>'


def _dot(kind: str, value: float, half: float, y: int) -> str:
    return f'<circle class="{kind}" cx="{_at(value, half)}" cy="{y}" r="4"/>'


def _at(value: float, half: float) -> float:
    """Return the place along x of a value on a ruler from -half to half."""
    return round(_LEFT + _WIDTH * (value / half + 1) / 2, 1)


def _template(states: Sequence[Rounded]) -> str:
    cells = "".join(
        _cell(place, *pair, state)
        for place, (pair, state) in enumerate(zip(PAIRS, states, strict=True))
    )
    heads = "".join(
        f'<text x="{_CELL_LEFT + _CELL_WIDTH * (k + 0.5):.0f}" y="18" text-anchor="middle">'
        f"{size} ×</text>"
        for k, size in enumerate(SIZES)
    )
    sides = "".join(
        f'<text x="{_CELL_LEFT - 8}" y="{44 + _CELL_HEIGHT * k}" text-anchor="end">{bits} bits'
        "</text>"
        for k, bits in enumerate(BITS)
    )
    side = _CELL_LEFT + _CELL_WIDTH * len(SIZES) + 12
    return (
        '<svg viewBox="0 0 800 66" width="800" role="img" aria-label="The whole ruler" '
        f"{placeholder('all')}></svg>"
        '<svg viewBox="0 0 800 112" width="800" role="img" aria-label="The ruler, magnified" '
        f"{placeholder('others')}></svg>"
        f'<svg viewBox="0 0 800 {34 + _CELL_HEIGHT * len(BITS)}" width="800" role="group" '
        f'aria-label="Bits and outliers to choose from">{heads}{sides}'
        f'<text x="{side}" y="18">outlier / largest other</text>'
        f'<text x="{side}" y="60">number: average error</text>'
        f'<text x="{side}" y="80">of the other weights</text>{cells}</svg>'
    )


def _cell(place: int, bits: int, size: int, state: Rounded) -> str:
    row, column = divmod(place, len(SIZES))
    x, y = _CELL_LEFT + _CELL_WIDTH * column, 26 + _CELL_HEIGHT * row
    shade = 0.06 + 0.44 * min(1.0, state.error)
    return (
        f'<g class="cell" {part(f"{bits} {size}")} data-go="{place}" '
        f'aria-label="{bits} bits, outlier {size} times the largest other weight">'
        f'<rect x="{x + 2}" y="{y + 2}" width="{_CELL_WIDTH - 4}" height="{_CELL_HEIGHT - 4}" '
        f'fill-opacity="{shade:.2f}"/>'
        f'<text x="{x + _CELL_WIDTH // 2}" y="{y + 18}" text-anchor="middle">'
        f"{_percent(state.error)}</text></g>"
    )
