"""The line of float16, on which gradients move to the right as the loss is scaled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, placeholder

if TYPE_CHECKING:
    from torch import Tensor

POWERS = range(0, 41, 4)
"""The choices for the scale, as powers of two."""
ZERO, NORMAL, LARGEST = -25, -14, 16
"""Powers of two: what is rounded to 0, the smallest float16 with all digits, and its end."""

_LOW, _HIGH = -44, 36
_LEFT, _WIDTH, _BASE, _HEIGHT = 20, 760, 160, 118
_STYLE = """
& svg {display: block; max-width: 100%; height: auto;}
& text {fill: var(--hpml-ink); font: 13px var(--jp-ui-font-family, sans-serif);}
& .lost {fill: var(--hpml-out-ground);} & .kept {fill: var(--hpml-in-ground);}
& .part {fill: color-mix(in srgb, var(--hpml-in-ground) 45%, var(--hpml-paper));}
& .bar {fill: var(--hpml-ink); fill-opacity: 0.7;}
& .axis {stroke: var(--hpml-line); stroke-width: 1;}
"""


@dataclass(frozen=True)
class Scaled:
    """Gradients times a scale, converted to float16: the share of each kind of result."""

    power: int
    zero: float  # became 0, though they were not
    subnormal: float  # kept with fewer digits
    infinite: float

    @property
    def line(self) -> str:
        """What the conversion does, and what a scaler does with the step."""
        step = "skipped" if self.infinite else "taken"
        return (
            f"times {_power(self.power)}: {_share(self.zero)} become 0, {_share(self.subnormal)} "
            f"keep fewer digits, {_share(self.infinite)} become infinite; the step is {step}"
        )


def scaled(gradients: Tensor, power: int) -> Scaled:
    """Return what float16 makes of gradients times a power of two.

    >>> import torch
    >>> scaled(torch.tensor([2.0**-30, 2.0**-20, 0.25, 2.0**12]), 4)
    Scaled(power=4, zero=0.25, subnormal=0.25, infinite=0.25)
    """
    import torch

    exact = gradients[gradients != 0].float() * 2.0**power
    half = exact.half()
    normal = torch.finfo(torch.float16).smallest_normal
    kinds = (half == 0, (half != 0) & (half.abs() < normal), half.isinf())
    return Scaled(power, *(float(kind.double().mean()) for kind in kinds))


def float16_line(gradients: Tensor) -> Animation:
    """Return the sizes of some gradients on the line of float16, for scales to choose from."""
    found = [scaled(gradients, power) for power in POWERS]
    exponents = gradients[gradients != 0].float().abs().log2().floor().long()
    lowest = int(exponents.min())
    counts = (exponents - lowest).bincount().tolist()
    bars = {lowest + place: count / max(counts) for place, count in enumerate(counts) if count}
    rows = [[_power(each.power), each.zero, each.subnormal, each.infinite] for each in found]
    columns = ["scale", "become 0", "keep fewer digits", "become infinite"]
    return Animation(
        "The loss is scaled: its gradients on the line of float16",
        f'<svg viewBox="0 0 800 200" width="800" role="img" aria-label="The line of float16">'
        f"{_line()}<g {placeholder('bars')}></g></svg>",
        [Keyframe(each.line, pieces={"bars": _bars(bars, each.power)}) for each in found],
        style=_STYLE,
        kind="float16",
        table=Table(columns, rows, formats=dict.fromkeys(columns[1:], "{:.1%}".format)),
    )


def _power(power: int) -> str:
    return f"2{power}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")).replace("²", "2", 1)


def _share(share: float) -> str:
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _at(power: float) -> float:
    return round(_LEFT + _WIDTH * (power - _LOW) / (_HIGH - _LOW), 1)


def _bars(bars: dict[int, float], power: int) -> str:
    """Return the histogram, moved by a power of two; a height of 1 is the fullest bin."""
    return "".join(
        f'<rect class="bar" x="{_at(place + power) + 1}" width="{_WIDTH / (_HIGH - _LOW) - 2:.1f}" '
        f'y="{_BASE - _HEIGHT * height:.1f}" height="{max(1.0, _HEIGHT * height):.1f}"/>'
        for place, height in bars.items()
        if _LOW <= place + power < _HIGH
    )


def _line() -> str:
    parts = (
        ("lost", _LOW, ZERO, "becomes 0"),
        ("part", ZERO, NORMAL, "fewer digits"),
        ("kept", NORMAL, LARGEST, "all digits"),
        ("lost", LARGEST, _HIGH, "becomes infinite"),
    )
    grounds = "".join(
        f'<rect class="{kind}" x="{_at(low)}" y="10" width="{_at(high) - _at(low):.1f}" '
        f'height="{_BASE - 10}"/><text x="{(_at(low) + _at(high)) / 2:.0f}" y="28" '
        f'text-anchor="middle">{name}</text>'
        for kind, low, high, name in parts
    )
    ticks = "".join(
        f'<text x="{_at(power)}" y="{_BASE + 18}" text-anchor="middle">{_power(power)}</text>'
        for power in (-40, ZERO, NORMAL, 0, LARGEST, 32)
    )
    end = f'<text x="{_LEFT}" y="{_BASE + 36}">size of a scaled gradient; height: how many</text>'
    return f'{grounds}<path class="axis" d="M{_LEFT} {_BASE}h{_WIDTH}"/>{ticks}{end}'
