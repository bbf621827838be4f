"""A stepper for what the reader types: a function, a call, and every step of it."""

from __future__ import annotations

import html
import uuid
from typing import Any

from hpml.base.errors import describe
from hpml.base.page import Page, put, put_live
from hpml.base.style import ACCENT
from hpml.widgets.errors import WidgetError
from hpml.widgets.stepper.stepper import STEPS, StepInto, animation_of_call
from hpml.widgets.stepper.typed import prepared_call

_SOURCE = """\
def f(a, b, c):
    d = a + b * c
    return d
"""
_LOOK = (
    "<style>.hpml-typed textarea, .hpml-typed input {font-family: var(--jp-code-font-family, "
    "monospace) !important;}</style>"
)
_FEWEST_ROWS, _MOST_ROWS = 8, 24


def stepper_editor(
    source: str = _SOURCE,
    call: str = "f(2, 3, 4)",
    *,
    max_steps: int = STEPS,
    step_into: StepInto = "module",
) -> None:
    """Show a function and a call to edit, and the call's steps beneath.

    Tab leads from the function to the call and on to the button, Enter or Space press it. What is
    wrong with what was typed is said in place of the animation; an exception of the call is in the
    animation.

    Args:
        source: Python text that defines one function or more.
        call: an expression; a call of one of them is stepped through from its first instruction.
        max_steps: after how many instructions to stop, at most 1,000.
        step_into: as for `stepper`.

    Raises:
        WidgetError: if an argument is not of its kind.

    >>> stepper_editor("def f(a, b): return a * b", call="f(3, 4)")  # doctest: +ELLIPSIS
    f(3, 4), step by step: ...
      1. f(3, 4) is called: ...
    """
    for name, text in (("source", source), ("call", call)):
        if not isinstance(text, str):
            raise WidgetError(f"stepper_editor: {name} is a text, got {describe(text)}.")
    place = uuid.uuid4().hex

    def shown(source: str, call: str) -> Page:
        return typed_page(source, call, max_steps=max_steps, step_into=step_into)

    put_live(lambda widgets: _controls(widgets, source, call, shown, place), "(here you type)")
    put(shown(source, call), place)


def typed_page(
    source: str, call: str, *, max_steps: int = STEPS, step_into: StepInto = "module"
) -> Page:
    """Return the animation of a typed call, or what is wrong with what was typed."""
    try:
        called = prepared_call(source, call)
        animation = animation_of_call(
            *called, max_steps, step_into, called_with=" ".join(call.split())[:80]
        )
    except WidgetError as error:
        return _mistake(str(error))
    return Page(repr(animation), animation.html)


def _mistake(text: str) -> Page:
    head, _, rest = text.partition("\n")
    shown = f"<pre>{html.escape(rest)}</pre>" if rest else ""
    body = (
        '<div class="hpml-mistake" role="alert" style="border-left: 5px solid #C62828; '
        f'padding: 0.3em 0.9em; margin: 0.4em 0;"><p>{html.escape(head)}</p>{shown}</div>'
    )
    return Page(text, body)


def _controls(widgets: Any, source: str, call: str, shown: Any, place: str) -> Any:
    wide = {"description_width": "5em"}
    rows = min(max(source.count("\n") + 2, _FEWEST_ROWS), _MOST_ROWS)
    # Not while it is typed: what is sent letter by letter may still be on its way when the button
    # is pressed. On leaving the field it goes first.
    text = widgets.Textarea(
        value=source,
        description="function",
        rows=rows,
        continuous_update=False,
        style=wide,
        layout={"width": "auto"},  # its margins beside it: with 100% there would be a scroll bar
    )
    line = widgets.Text(
        value=call,
        description="call",
        continuous_update=False,
        style=wide,
        layout={"flex": "1 1 auto"},
    )
    button = widgets.Button(
        description="Step through it",
        tooltip="Executes the call and shows every step beneath",
        style={"button_color": ACCENT, "text_color": "white"},
        layout={"width": "11em"},
    )

    def show(_: object) -> None:
        # The button stays as it is: disabled meanwhile, it would lose the keyboard.
        try:
            put(shown(text.value, line.value), place, again=True)
        except Exception as error:  # noqa: BLE001 - in a callback it would vanish in a log
            put(_mistake(f"{type(error).__name__}: {error}"), place, again=True)

    button.on_click(show)
    row = widgets.HBox([line, button])
    box = widgets.VBox([widgets.HTML(_LOOK), text, row], layout={"max_width": "52em"})
    box.add_class("hpml-typed")
    return box
