"""The field under a question: the only file that needs ``ipywidgets``, and only when it is used."""

from __future__ import annotations

import asyncio
import html
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from hpml.base.page import asset
from hpml.base.style import ACCENT
from hpml.course.predictions.state import Entry

# Seconds that a changed value may arrive after Enter or a click.
_ON_ITS_WAY = 0.3

Submit = Callable[[object], "str | None"]
"""Takes what was typed or chosen; returns what is wrong with it, or None if it is locked."""


def enter_locks() -> str:
    """Return the script by which Enter locks a choice; JupyterLab would take that key."""
    return f"<script>{asset(__package__, 'controls.js')}</script>"


class Control(NamedTuple):
    """A field with its button, and the field alone."""

    box: Any
    field: Any


def make(entry: Entry, submit: Submit) -> Control:
    """Return a control that answers `entry`."""
    widgets: Any = importlib.import_module("ipywidgets")  # which has no types
    message = widgets.HTML(value="")
    button = widgets.Button(
        description="Lock in",
        tooltip="Locks your answer; it cannot be changed afterwards",
        style={"button_color": ACCENT, "text_color": "white"},
    )
    field = _choice(widgets, entry) if entry.choices else _number(widgets, entry)

    def send(*_: object) -> None:
        wrong = "Choose one of the options first." if field.value is None else submit(field.value)
        # role=alert: a screen reader says it as soon as it appears.
        message.value = f'<div role="alert">{html.escape(wrong)}</div>' if wrong else ""

    _once_settled(field, button, send)
    if entry.choices:
        box = widgets.VBox([field, button, message])
    else:
        box = widgets.VBox([widgets.HBox([field, button]), message])
    box.add_class("hpml-answer")
    return Control(box, field)


def _once_settled(field: Any, button: Any, send: Callable[[], None]) -> None:
    """Call `send` after Enter in `field` or a click on `button`, once the last value has arrived.

    ipywidgets in the browser holds a second change back until the kernel has taken the first, and
    sends Enter and clicks at once. So one change, never two, may arrive behind them.
    """
    waiting: list[asyncio.TimerHandle] = []

    def settle(*_: object) -> None:
        if waiting:
            waiting.pop().cancel()
            send()

    def wait(*_: object) -> None:
        if not waiting:
            waiting.append(asyncio.get_running_loop().call_later(_ON_ITS_WAY, settle))

    def received(_: object, content: dict[str, object], __: object) -> None:
        if content.get("event") == "submit":
            wait()

    button.on_click(wait)
    # Not Text.on_submit, which ipywidgets deprecated: this is the message it is built on.
    field.on_msg(received)
    field.observe(settle, "value")


def _number(widgets: Any, entry: Entry) -> Any:
    unit = entry.measure
    return widgets.Text(
        value="",
        placeholder=unit.examples(),
        description=f"in {unit.name}:",
        # Sent letter by letter, a text is behind Enter and the button: while the kernel is busy,
        # 250 would be locked as 2.
        continuous_update=False,
        style={"description_width": "initial"},
        layout={"width": "22em"},
    )


def _choice(widgets: Any, entry: Entry) -> Any:
    return widgets.RadioButtons(
        options=list(entry.choices), value=None, layout={"width": "max-content"}
    )
