"""The film of a trace: source, instructions, value stack and variables, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType

from hpml.base.errors import describe
from hpml.base.tables import Table
from hpml.bytecode import Trace
from hpml.widgets.errors import WidgetError
from hpml.widgets.frames import MOST_FRAMES, Film, baked
from hpml.widgets.stepper_frames import frames_of
from hpml.widgets.stepper_layout import layout_of
from hpml.widgets.stepper_moments import Moment
from hpml.widgets.stepper_scene import scene
from hpml.widgets.stepper_style import STYLE

__all__ = ["Stepper", "stepper_film"]


@dataclass(frozen=True, repr=False)
class Stepper(Film):
    """A film of a trace.

    Attributes:
        trace: what the machine recorded.
        moments: what is seen in each frame; ``print(film.moments[3])`` shows one as text.
    """

    trace: Trace | None = None
    moments: Sequence[Moment] = ()


def stepper_film(
    trace: Trace, witnessed: Sequence[CodeType], *, title: str = "", called_with: str = ""
) -> Stepper:
    """Return the film of a trace.

    Args:
        trace: of one step or more.
        witnessed: the code objects that ran, of which others are constants.
        title: of the film.
        called_with: how the function was called.

    Raises:
        WidgetError: if the trace is empty or longer than a film may be.
    """
    if not trace.steps:
        raise WidgetError(f"The trace of {describe(trace.function)} has no step to show.")
    layout = layout_of(trace, witnessed, called_with)
    if len(layout.moments) > MOST_FRAMES:
        raise WidgetError(
            f"The trace of {describe(trace.function)} makes {len(layout.moments):,} frames, and a "
            f"film has at most {MOST_FRAMES:,}; pass a smaller max_steps."
        )
    frames = frames_of(layout)
    rows = [
        [number, "" if moment.line is None else moment.line, frame.line, " | ".join(moment.stack)]
        for number, (moment, frame) in enumerate(zip(layout.moments, frames, strict=True), 1)
    ]
    return Stepper(
        title or f"{called_with or trace.function}, step by step",
        scene(layout),
        frames,
        style=STYLE,
        kind="stepper",
        # Where scripts do not run, what belongs to other functions would only be in the way.
        still=baked(scene(layout, layout.of_moments[0]), frames[0]),
        table=Table(
            ["step", "line", "what happens", "stack afterwards (bottom first)"],
            rows,
            align=("right", "right", "left", "left"),
        ),
        trace=trace,
        moments=layout.moments,
    )
