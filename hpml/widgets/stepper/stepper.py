"""Animate a call of a Python function, instruction by instruction."""

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
from hpml.widgets.animation.animation import Animation
from hpml.widgets.errors import WidgetError
from hpml.widgets.stepper.events import MOST_STEPS, Event
from hpml.widgets.stepper.keyframes import keyframe
from hpml.widgets.stepper.layout import layout_of
from hpml.widgets.stepper.template import template

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
    """Return an animation of a call, instruction by instruction.

    It steps into functions of the same module or notebook, and of other modules that belong to no
    installed package; captions name the functions that CPython ran. It shows the current line and
    instruction, the value stack with its changes, the variables, the waiting calls, the output, and
    the handlers of exceptions. The output of the function appears only in the animation.

    Args:
        function: a function written in Python.
        *args: its positional arguments.
        max_steps: limit of instructions, at most 1,000.
        title: title of the animation.
        **kwargs: its keyword arguments.

    Raises:
        WidgetError: if `function` is not a Python function, or its arguments do not fit. The
            animation shows an exception raised by the call.

    >>> animation = stepper(lambda a, b, c: a + b * c, 2, 3, c=4)
    >>> [k.line for k in animation.keyframes if k.line.startswith("BINARY_OP *")]
    ['BINARY_OP * takes 3 and 4 off the stack and pushes 12.']
    """
    plain = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(plain, FunctionType):
        raise WidgetError(
            object="function of stepper",
            expected="a function written in Python",
            received=describe(function),
            remedy="To step through another call, wrap it: stepper(lambda: ...).",
        )
    if type(max_steps) is not int or not 1 <= max_steps <= MOST_STEPS:
        raise WidgetError(
            object="max_steps of stepper",
            expected=f"1 to {MOST_STEPS:,}",
            received=describe(max_steps),
            remedy="Show a part of the program.",
        )
    trace = _trace(function, args, kwargs, max_steps)
    layout = layout_of(trace)
    keyframes = [keyframe(layout, number) for number in range(len(layout.events))]
    rows = [
        [number, event.step.line or "", shown.line, " | ".join(event.stack)]
        for number, (event, shown) in enumerate(zip(layout.events, keyframes, strict=True), 1)
    ]
    return Stepper(
        title or f"{trace.call}, step by step",
        template(layout),
        keyframes,
        style=asset(__package__, "stepper.css"),
        kind="stepper",
        table=Table(
            ["step", "line", "what happens", "stack after the step (bottom first)"],
            rows,
            align=("right", "right", "left", "left"),
        ),
        trace=trace,
        events=layout.events,
    )


def _trace(
    function: Any,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    max_steps: int,
) -> Trace:
    try:
        # The animation shows the output.
        with contextlib.redirect_stdout(io.StringIO()):
            return Machine(max_steps=max_steps).trace(function, *args, **kwargs)
    except BytecodeError as error:
        if isinstance(error, StepLimitError) and error.trace is not None:
            return error.trace
        raise WidgetError(**error.parts) from None
    except TypeError as error:
        # The trace records exceptions of the function, so this one is about the arguments.
        raise WidgetError(
            f"{error}.",
            object="arguments of stepper",
            expected="those of the function's signature",
            received=describe([*args, *kwargs.items()]),
            remedy="Pass the arguments after the function.",
        ) from None
