"""The stepper: a call of any Python function, executed by the stack machine step by step."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.bytecode import BytecodeError, Machine, StepLimitError, Trace
from hpml.bytecode.safe_repr import short
from hpml.widgets.animation.animation import Animation
from hpml.widgets.errors import WidgetError
from hpml.widgets.stepper.events import Event
from hpml.widgets.stepper.keyframes import keyframes_of
from hpml.widgets.stepper.layout import layout_of
from hpml.widgets.stepper.template import template

MOST_STEPS = 1000
STEPS = 300


@dataclass(frozen=True, repr=False)
class Stepper(Animation):
    """An animation of a trace."""

    trace: Trace | None = None
    events: Sequence[Event] = ()


def stepper(
    function: Callable[..., Any],
    /,
    *args: Any,
    max_steps: int = STEPS,
    title: str = "",
    **kwargs: Any,
) -> Stepper:
    """Return an animation of a call, instruction by instruction, to play and step through.

    Functions of the same module or notebook that it calls are stepped into as well. Shown are the
    line and the instruction that is executed, the value stack with what was taken off and put on,
    the variables, which call waits for which, what was printed, and where an exception goes. What
    the function prints is shown in the animation and nowhere else.

    Args:
        function: a function written in Python.
        *args: what it is called with.
        max_steps: after how many instructions to stop, at most 1,000.
        title: of the animation.
        **kwargs: what it is called with, by name.

    Raises:
        WidgetError: if there is nothing to step through: no Python function, or arguments that do
            not fit. An exception of the call itself is in the animation.

    >>> animation = stepper(lambda a, b, c: a + b * c, 2, 3, c=4)
    >>> [k.line for k in animation.keyframes if k.line.startswith("BINARY_OP *")]
    ['BINARY_OP * takes 3 and 4 off the stack and pushes 12.']
    """
    plain = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(plain, FunctionType):
        raise WidgetError(
            f"stepper shows functions written in Python; {describe(function)} is none. "
            "For something else, wrap the call: stepper(lambda: ...)."
        )
    if type(max_steps) is not int or not 1 <= max_steps <= MOST_STEPS:
        raise WidgetError(
            f"stepper: max_steps expects 1 to {MOST_STEPS:,}, got {describe(max_steps)}."
        )
    called_with = _call_text(plain, args, kwargs)
    trace = _recorded(function, args, kwargs, max_steps)
    if not trace.steps:
        raise WidgetError(f"The trace of {describe(trace.function)} has no step to show.")
    layout = layout_of(trace, called_with)
    keyframes = keyframes_of(layout)
    rows = [
        [number, "" if event.line is None else event.line, keyframe.line, " | ".join(event.stack)]
        for number, (event, keyframe) in enumerate(zip(layout.events, keyframes, strict=True), 1)
    ]
    return Stepper(
        title or f"{called_with}, step by step",
        template(layout),
        keyframes,
        style=asset(__package__, "stepper.css"),
        kind="stepper",
        table=Table(
            ["step", "line", "what happens", "stack afterwards (bottom first)"],
            rows,
            align=("right", "right", "left", "left"),
        ),
        trace=trace,
        events=layout.events,
    )


def _recorded(
    function: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    max_steps: int,
) -> Trace:
    try:
        # The animation shows what is printed.
        with contextlib.redirect_stdout(io.StringIO()):
            return Machine(max_steps=max_steps, same_module=True).trace(function, *args, **kwargs)
    except StepLimitError as error:
        if error.trace is None:
            raise WidgetError(str(error)) from None
        return error.trace
    except BytecodeError as error:
        raise WidgetError(str(error)) from None
    except TypeError as error:
        # What the function itself raises is in its trace: this is about the arguments.
        raise WidgetError(f"{error}. Pass the arguments after the function.") from None


def _call_text(function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    given = [short(value, 30) for value in args]
    given += [f"{name}={short(value, 30)}" for name, value in kwargs.items()]
    inside = ", ".join(given)
    return f"{function.__name__}({inside if len(inside) <= 80 else '…'})"
