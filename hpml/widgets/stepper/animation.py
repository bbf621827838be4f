"""The animation of a trace: source, instructions, value stack and variables, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.bytecode.machine import Trace
from hpml.widgets.animation.animation import MOST_KEYFRAMES, Animation, baked
from hpml.widgets.errors import WidgetError
from hpml.widgets.stepper.events import Event
from hpml.widgets.stepper.keyframes import keyframes_of
from hpml.widgets.stepper.layout import layout_of
from hpml.widgets.stepper.template import template


@dataclass(frozen=True, repr=False)
class Stepper(Animation):
    """An animation of a trace."""

    trace: Trace | None = None
    events: Sequence[Event] = ()


def stepper_animation(
    trace: Trace, collected: Sequence[CodeType], *, title: str = "", called_with: str = ""
) -> Stepper:
    """Return the animation of a trace."""
    if not trace.steps:
        raise WidgetError(f"The trace of {describe(trace.function)} has no step to show.")
    layout = layout_of(trace, collected, called_with)
    if len(layout.events) > MOST_KEYFRAMES:
        raise WidgetError(
            f"The trace of {describe(trace.function)} makes {len(layout.events):,} keyframes, and "
            f"an animation has at most {MOST_KEYFRAMES:,}; pass a smaller max_steps."
        )
    keyframes = keyframes_of(layout)
    rows = [
        [number, "" if event.line is None else event.line, keyframe.line, " | ".join(event.stack)]
        for number, (event, keyframe) in enumerate(zip(layout.events, keyframes, strict=True), 1)
    ]
    return Stepper(
        title or f"{called_with or trace.function}, step by step",
        template(layout),
        keyframes,
        style=asset(__package__, "stepper.css"),
        kind="stepper",
        # Where scripts do not run, what belongs to other functions would only be in the way.
        still=baked(template(layout, layout.of_events[0]), keyframes[0]),
        table=Table(
            ["step", "line", "what happens", "stack afterwards (bottom first)"],
            rows,
            align=("right", "right", "left", "left"),
        ),
        trace=trace,
        events=layout.events,
    )
