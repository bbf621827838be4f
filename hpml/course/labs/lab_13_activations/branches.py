"""How gradients flow through `torch.where`: choose a function and a number, and follow them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpml.base.tables import Table, readable
from hpml.widgets.animation.animation import Animation, Keyframe, part, placeholder

if TYPE_CHECKING:
    from torch import Tensor

PIECES = ("left piece", "middle piece", "right piece")

_ROW, _TOP = 44, 44
_SIDE, _CELL_WIDTH, _CELL_HEIGHT = 130, 92, 26
_STYLE = """
& svg {display: block; max-width: 100%; height: auto;}
& text {fill: var(--hpml-ink); font: 13px var(--jp-ui-font-family, sans-serif);}
& .head {fill: var(--hpml-faint);}
& .box {fill: var(--hpml-soft); stroke: var(--hpml-line);}
& .taken .box {fill: var(--hpml-in-ground); stroke: var(--hpml-in); stroke-width: 2;}
& .arrow {stroke: var(--hpml-line); stroke-width: 1.5; fill: none;}
& .nan {fill: color-mix(in srgb, var(--hpml-bad) 55%, var(--hpml-ink)); font-weight: bold;}
& .cell {cursor: pointer;}
& .cell rect {fill: var(--hpml-soft);} & .cell.lost rect {fill: var(--hpml-out-ground);}
& .cell[data-on] rect {stroke: var(--hpml-ink); stroke-width: 3;}
& .cell:focus-visible {outline: none;}
& .cell:focus-visible rect {stroke: var(--hpml-accent); stroke-width: 4;}
"""


@dataclass(frozen=True)
class Piece:
    """What one piece of the function computes, and what the backward pass makes of it."""

    value: float
    sent: float  # the gradient that `where` sends into it
    slope: float
    back: float  # what arrives at x

    @property
    def product(self) -> str:
        """The multiplication of the backward pass as text."""
        return f"{_text(self.sent)} × {_text(self.slope)} = {_text(self.back)}"


@dataclass(frozen=True)
class Flow:
    """One number through a function of three pieces, forward and backward."""

    x: float
    pieces: tuple[Piece, ...]
    value: float
    gradient: float


def flow(function: Callable[[Tensor], Tensor], number: float) -> Flow:
    """Return how a number flows through two nested calls of `torch.where`, by autograd itself.

    >>> import torch
    >>> outer = lambda x: torch.where(x < 0, 1 / x, torch.where(x < 3, x * x, x))
    >>> found = flow(outer, 0.0)
    >>> found.value, found.gradient, found.pieces[0]
    (0.0, nan, Piece(value=inf, sent=0.0, slope=-inf, back=nan))
    """
    import torch
    from torch.overrides import TorchFunctionMode

    seen: list[tuple[Tensor, Tensor]] = []

    class Watch(TorchFunctionMode):
        """Keeps the pieces between which `where` chooses."""

        def __torch_function__(
            self, called: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if called is torch.where:
                # A piece that is x itself becomes a tensor of its own, with its own gradient.
                pair = tuple(each.view_as(each) for each in args[1:])
                seen.append(pair)
                args = (args[0], *pair)
            return called(*args, **(kwargs or {}))

    x = torch.tensor([number], requires_grad=True)
    with Watch():
        result = function(x)
    (middle, right), (left, _) = seen
    pieces = []
    for piece in (left, middle, right):
        (sent,) = torch.autograd.grad(result, piece, retain_graph=True)
        (slope,) = torch.autograd.grad(piece, x, retain_graph=True)
        (back,) = torch.autograd.grad(piece, x, sent, retain_graph=True)
        pieces.append(Piece(*(float(each) for each in (piece.detach(), sent, slope, back))))
    (gradient,) = torch.autograd.grad(result, x)
    return Flow(number, tuple(pieces), float(result.detach()), float(gradient))


def gradient_flow(
    functions: Mapping[str, Callable[[Tensor], Tensor]], numbers: Sequence[float]
) -> Animation:
    """Return the flow of each number through each function, to choose from."""
    pairs = [(name, number) for name in functions for number in numbers]
    flows = [flow(functions[name], number) for name, number in pairs]
    rows = [
        [
            name,
            _text(each.x),
            _text(each.value),
            *(one.product for one in each.pieces),
            _text(each.gradient),
        ]
        for (name, _), each in zip(pairs, flows, strict=True)
    ]
    return Animation(
        "Through three pieces and back: choose a function and x",
        _template(list(functions), numbers, flows),
        [
            _keyframe(place, name, each)
            for place, ((name, _), each) in enumerate(zip(pairs, flows, strict=True))
        ],
        style=_STYLE,
        kind="flow",
        table=Table(["function", "x", "value", *PIECES, "gradient"], rows, align=["left"] * 7),
        columns=len(numbers),
        start=next((n for n, each in enumerate(flows) if math.isnan(each.gradient)), 0),
        labels=[f"{name}, x = {_text(number)}" for name, number in pairs],
    )


def _text(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    return readable(number + 0.0, 3).replace("-", "−")  # without the sign of -0.0


def _keyframe(place: int, name: str, found: Flow) -> Keyframe:
    lost = [kind for kind, each in zip(PIECES, found.pieces, strict=True) if math.isnan(each.back)]
    why = f"; NaN comes from the {' and the '.join(lost)}" if lost else ""
    line = (
        f"{name}, x = {_text(found.x)}: value {_text(found.value)}, "
        f"gradient {_text(found.gradient)}{why}"
    )
    rows = "".join(_row(k, *each) for k, each in enumerate(zip(PIECES, found.pieces, strict=True)))
    middle = _TOP + _ROW + 18
    body = (
        f'<text class="head" x="8" y="20">forward: x</text>'
        f'<text class="head" x="130" y="20">piece: value</text>'
        f'<text class="head" x="330" y="20">where</text>'
        f'<text class="head" x="430" y="20">backward: sent × slope = to x</text>'
        f'<rect class="box" x="4" y="{middle - 18}" width="70" height="28" rx="4"/>'
        f'<text x="39" y="{middle + 1}" text-anchor="middle">{_text(found.x)}</text>{rows}'
        f'<text x="430" y="{_TOP + 3 * _ROW + 14}">gradient of x, their sum: '
        f"{_number(found.gradient)}</text>"
        f'<text x="130" y="{_TOP + 3 * _ROW + 14}">value: {_number(found.value)}</text>'
    )
    return Keyframe(line, marks={str(place): "here"}, pieces={"flow": body})


def _row(row: int, kind: str, piece: Piece) -> str:
    y, middle = _TOP + _ROW * row, _TOP + _ROW + 14
    taken = piece.sent != 0
    return (
        f'<g class="{"taken" if taken else "not"}">'
        f'<path class="arrow" d="M74 {middle}L126 {y + 14}"/>'
        f'<rect class="box" x="126" y="{y}" width="180" height="28" rx="4"/>'
        f'<text x="134" y="{y + 19}">{kind}: {_number(piece.value)}</text>'
        f'<path class="arrow" d="M306 {y + 14}H326"/>'
        f'<text x="330" y="{y + 19}">{"taken" if taken else "not taken"}</text>'
        f'<rect class="box" x="422" y="{y}" width="220" height="28" rx="4"/>'
        f'<text x="430" y="{y + 19}">{_text(piece.sent)} × {_text(piece.slope)} = '
        f"{_number(piece.back)}</text></g>"
    )


def _number(number: float) -> str:
    kind = ' class="nan"' if math.isnan(number) else ""
    return f"<tspan{kind}>{_text(number)}</tspan>"


def _template(names: Sequence[str], numbers: Sequence[float], flows: Sequence[Flow]) -> str:
    heads = "".join(
        f'<text x="{_SIDE + _CELL_WIDTH * (k + 0.5):.0f}" y="18" text-anchor="middle">'
        f"x = {_text(number)}</text>"
        for k, number in enumerate(numbers)
    )
    sides = "".join(
        f'<text x="{_SIDE - 8}" y="{44 + _CELL_HEIGHT * k}" text-anchor="end">{name}</text>'
        for k, name in enumerate(names)
    )
    cells = []
    for place, each in enumerate(flows):
        row, column = divmod(place, len(numbers))
        x, y = _SIDE + _CELL_WIDTH * column, 26 + _CELL_HEIGHT * row
        lost = " lost" if math.isnan(each.gradient) else ""
        cells.append(
            f'<g class="cell{lost}" {part(str(place))} data-go="{place}" '
            f'aria-label="{names[row]}, x = {_text(each.x)}">'
            f'<rect x="{x + 2}" y="{y + 2}" width="{_CELL_WIDTH - 4}" '
            f'height="{_CELL_HEIGHT - 4}"/>'
            f'<text x="{x + _CELL_WIDTH // 2}" y="{y + 18}" text-anchor="middle">'
            f"{_number(each.gradient)}</text></g>"
        )
    side = _SIDE + _CELL_WIDTH * len(numbers) + 12
    return (
        f'<svg viewBox="0 0 800 {_TOP + 3 * _ROW + 24}" width="800" role="img" '
        f'aria-label="Values and gradients of the pieces" {placeholder("flow")}></svg>'
        f'<svg viewBox="0 0 800 {34 + _CELL_HEIGHT * len(names)}" width="800" role="group" '
        f'aria-label="Functions and numbers to choose from">{heads}{sides}'
        f'<text x="{side}" y="44">number: the gradient</text>{"".join(cells)}</svg>'
    )
