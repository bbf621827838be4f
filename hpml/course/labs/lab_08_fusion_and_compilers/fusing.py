"""A roofline on which a program moves while its loops are fused, step by step."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpml.base.tables import Table, format_bytes, readable
from hpml.benchmark.roofline import Kernel, Limits
from hpml.course.labs.lab_08_fusion_and_compilers.exercises import count_bytes
from hpml.widgets.animation.animation import Animation, Keyframe, placeholder

Operations = Sequence[tuple[str, Sequence[str]]]
Shapes = Mapping[str, Sequence[int]]

_LEFT, _RIGHT, _TOP, _BOTTOM = 400, 780, 16, 250
_MOST_STATES = 9
_STYLE = """
& svg {display: block; max-width: 100%; height: auto;}
& text {fill: var(--hpml-ink); font: 13px var(--jp-ui-font-family, sans-serif);}
& .small {font-size: 12px; fill: var(--hpml-faint);}
& .roof {stroke: var(--hpml-ink); stroke-width: 2; fill: none;}
& .grid {stroke: var(--hpml-line); stroke-width: 0.5; fill: none;}
& .drop {stroke: var(--hpml-accent); stroke-width: 1; stroke-dasharray: 3 3; fill: none;}
& .bound {fill: var(--hpml-paper); stroke: var(--hpml-accent); stroke-width: 2;}
& .measured {fill: var(--hpml-accent);} & .before {fill-opacity: 0.45; stroke-opacity: 0.45;}
& .loop {fill: var(--hpml-soft); stroke: var(--hpml-line);}
& .result {fill: var(--hpml-in-ground); stroke: var(--hpml-in);}
"""


@dataclass(frozen=True)
class State:
    """One way to divide operations among loops."""

    name: str
    loops: tuple[str, ...]  # what each loop reads and writes
    operations: float
    bytes: float

    @property
    def intensity(self) -> float:
        """Operations per byte."""
        return self.operations / self.bytes


def states(ops: Operations, shapes: Shapes, ridge: float) -> list[State]:
    """Return the states from one loop an operation to one loop for all, then with more operations.

    The last operation is repeated, four times as many each time, until the ridge is passed.

    >>> shapes = {"x": (5,), "a": (5,), "b": (5,)}
    >>> found = states([("a", ["x"]), ("b", ["a", "x"])], shapes, ridge=1.0)
    >>> [(each.name, each.bytes) for each in found]
    [('2 loops', 100), ('1 loop', 40), ('1 loop, 8 operations', 40)]
    """
    numbers = math.prod(shapes[ops[-1][0]])
    found = []
    for fused in range(1, len(ops) + 1):
        groups = [ops[:fused], *([op] for op in ops[fused:])]
        moved = sum(count_bytes(group, shapes, True) for group in groups)
        name = f"{len(groups)} loop{'s' * (len(groups) > 1)}"
        found.append(State(name, tuple(map(_loop, groups)), len(ops) * numbers, moved))
    together = found[-1]
    count = 4 * len(ops)
    while len(found) < _MOST_STATES and found[-1].intensity < ridge:
        name = f"1 loop, {count} operations"
        found.append(State(name, together.loops, count * numbers, together.bytes))
        count *= 4
    return found


def fusing(
    limits: Limits, measured: Mapping[str, Kernel], ops: Operations, shapes: Shapes, source: str
) -> Animation:
    """Return the roofline of a machine, on which operations are fused, to step through.

    Args:
        limits: the measured limits of the machine.
        measured: the kernels that were measured; the one with a state's operations and bytes is
            drawn at its speed, and other states at their bound.
        ops: each operation's result and operands.
        shapes: the shape of each array.
        source: a sentence on the measurement.
    """
    found = states(ops, shapes, limits.ridge)
    kernels = [_measured(state, measured) for state in found]
    axes = _Axes(limits, found, [kernel.speed for kernel in kernels if kernel])
    rows = [
        [state.name, format_bytes(state.bytes), state.intensity,
         limits.at_most(state.intensity) / 1e9,
         kernel.speed / 1e9 if kernel else None]
        for state, kernel in zip(found, kernels, strict=True)
    ]  # fmt: skip
    columns = ["", "bytes", "operations per byte", "bound, GFLOP/s", "measured, GFLOP/s"]
    return Animation(
        "Fusing moves a program along the roofline",
        f'<svg viewBox="0 0 800 296" width="800" role="img" aria-label="Loops and roofline">'
        f"{axes.roof()}<g {placeholder('state')}></g></svg>"
        f"<p>{html.escape(source)}</p>",
        [_keyframe(k, found, kernels, limits, axes) for k in range(len(found))],
        style=_STYLE,
        kind="fusing",
        table=Table(columns, rows, formats=dict.fromkeys(columns[2:], readable)),
    )


def _loop(group: Operations) -> str:
    made = {result for result, _ in group}
    read = dict.fromkeys(each for _, operands in group for each in operands if each not in made)
    return f"reads {', '.join(read)}; writes {group[-1][0]}"


def _measured(state: State, kernels: Mapping[str, Kernel]) -> Kernel | None:
    same = (k for k in kernels.values() if k[:2] == (state.operations, state.bytes))
    return next(same, None)


def _keyframe(
    place: int,
    found: Sequence[State],
    kernels: Sequence[Kernel | None],
    limits: Limits,
    axes: _Axes,
) -> Keyframe:
    state, kernel = found[place], kernels[place]
    bound = limits.at_most(state.intensity)
    limit = "memory" if state.intensity < limits.ridge else "arithmetic"
    known = ", not measured here"
    if kernel:
        share = readable(100 * kernel.speed / bound)
        known = f", measured {readable(kernel.speed / 1e9)}: {share} % of it"
    line = (
        f"{state.name}: {format_bytes(state.bytes)} moved, {readable(state.intensity)} operations "
        f"per byte; {limit} allows {readable(bound / 1e9)} GFLOP/s{known}"
    )
    points = "".join(
        axes.point(
            found[k].intensity, (each.speed if (each := kernels[k]) else None), limits, k < place
        )
        for k in range(place + 1)
    )
    return Keyframe(line, pieces={"state": f"{_loops(state)}{points}"})


def _loops(state: State) -> str:
    boxes = "".join(
        f'<rect class="loop" x="4" y="{40 + 44 * row}" width="300" height="34" rx="4"/>'
        f'<text x="14" y="{62 + 44 * row}">loop {row + 1}: {html.escape(text)}</text>'
        for row, text in enumerate(state.loops)
    )
    below = 64 + 44 * len(state.loops)
    lines = (
        f"moves {format_bytes(state.bytes)}",
        f"{readable(state.intensity)} operations per byte",
    )
    texts = "".join(
        f'<text x="4" y="{below + 20 * k}">{text}</text>' for k, text in enumerate(lines)
    )
    return f'<text x="4" y="24" font-weight="bold">{state.name}</text>{boxes}{texts}'


class _Axes:
    """Logarithmic axes that hold the roof and all states."""

    def __init__(self, limits: Limits, found: Sequence[State], speeds: Sequence[float]) -> None:
        self._limits = limits
        intensities = [limits.ridge, *(state.intensity for state in found)]
        lowest = min([limits.at_most(min(intensities)), *speeds])
        self._x = (min(intensities) / 3, max(intensities) * 3)
        self._y = (lowest / 3, limits.peak * 2)

    def at(self, intensity: float, speed: float) -> tuple[float, float]:
        """Return the place of a point in the picture."""
        x, y = (
            math.log(value / low) / math.log(high / low)
            for value, (low, high) in ((intensity, self._x), (speed, self._y))
        )
        return round(_LEFT + (_RIGHT - _LEFT) * x, 1), round(_BOTTOM - (_BOTTOM - _TOP) * y, 1)

    def point(self, intensity: float, speed: float | None, limits: Limits, is_before: bool) -> str:
        """Return the bound of a state, and where it was measured."""
        before = " before" if is_before else ""
        x, y = self.at(intensity, limits.at_most(intensity))
        drop = "" if is_before else f'<path class="drop" d="M{x} {_BOTTOM}V{_TOP}"/>'
        drawn = f'{drop}<circle class="bound{before}" cx="{x}" cy="{y}" r="6"/>'
        if speed is not None:
            x, y = self.at(intensity, speed)
            drawn += f'<circle class="measured{before}" cx="{x}" cy="{y}" r="5"/>'
        return drawn

    def roof(self) -> str:
        """Return the axes with their ticks and the two limits."""
        limits, low, high = self._limits, *self._x
        points = [self.at(each, limits.at_most(each)) for each in (low, limits.ridge, high)]
        path = "L".join(f"{x} {y}" for x, y in points)
        ticks = ""
        for power in range(-4, 5):
            if low <= 10.0**power <= high:
                x, _ = self.at(10.0**power, limits.peak)
                ticks += (
                    f'<path class="grid" d="M{x} {_TOP}V{_BOTTOM}"/><text class="small" x="{x}" '
                    f'y="{_BOTTOM + 16}" text-anchor="middle">{10.0**power:g}</text>'
                )
            if self._y[0] <= 10.0 ** (power + 9) <= self._y[1]:
                _, y = self.at(low, 10.0 ** (power + 9))
                ticks += (
                    f'<path class="grid" d="M{_LEFT} {y}H{_RIGHT}"/><text class="small" '
                    f'x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{10.0**power:g}</text>'
                )
        return (
            f'{ticks}<path class="roof" d="M{path}"/>'
            f'<text class="small" x="{_RIGHT}" y="{_BOTTOM + 34}" text-anchor="end">operations per '
            f'byte</text><text class="small" x="{_LEFT - 40}" y="12">GFLOP/s</text>'
            f'<circle class="bound" cx="{_LEFT}" cy="{_BOTTOM + 30}" r="6"/>'
            f'<text class="small" x="{_LEFT + 12}" y="{_BOTTOM + 34}">bound</text>'
            f'<circle class="measured" cx="{_LEFT + 70}" cy="{_BOTTOM + 30}" r="5"/>'
            f'<text class="small" x="{_LEFT + 82}" y="{_BOTTOM + 34}">measured</text>'
        )
