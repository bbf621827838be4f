"""The input field under a question; the only file that needs ``ipywidgets``, imported on use."""

from __future__ import annotations

import asyncio
import html
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from hpml.base.page import Page, asset, put
from hpml.base.style import ACCENT
from hpml.course.lesson.predictions.state import Entry

_ON_ITS_WAY = 0.3  # seconds by which a changed value may arrive after Enter or a click

# Without the focus, Shift+Enter would do nothing until a click, and Tab would skip cells.
_FOCUS_CELL = """<script>(() => {
const cell = document.currentScript?.closest(".jp-Cell");
setTimeout(() => {
  if (document.activeElement === document.body) cell?.focus({preventScroll: true});
});
})()</script>"""

Submit = Callable[[object], "str | None"]
"""Takes the typed or chosen answer; returns what is wrong with it, or None if it is locked."""


def enter_locks() -> str:
    """Return the script that makes Enter lock a choice, a key that JupyterLab would intercept."""
    return f"<script>{asset(__package__, 'controls.js')}</script>"


class Control(NamedTuple):
    """The box with field, button and message, and the field."""

    box: Any
    field: Any


def make(entry: Entry, submit: Submit) -> Control:
    """Return the control for answering `entry`."""
    widgets: Any = importlib.import_module("ipywidgets")  # it has no type annotations
    message = widgets.HTML(value="")
    button = widgets.Button(
        description="Lock in",
        tooltip="Locks your answer; it cannot be changed afterwards",
        style={"button_color": ACCENT, "text_color": "white"},
    )
    if entry.choices:
        wide = {"width": "max-content"}
        field = widgets.RadioButtons(options=list(entry.choices), value=None, layout=wide)
    else:
        field = widgets.Text(
            value="",
            placeholder=entry.measure.examples,
            description=f"in {entry.measure.name}:",
            # Sent letter by letter, the text would lag behind Enter: 250 might be locked as 2.
            continuous_update=False,
            style={"description_width": "initial"},
            layout={"width": "22em"},
        )

    def send(*_: object) -> None:
        wrong = "Choose one of the options first." if field.value is None else submit(field.value)
        # role=alert: a screen reader announces it as soon as it appears.
        message.value = f'<div role="alert">{html.escape(wrong)}</div>' if wrong else ""

    _once_settled(field, button, send)
    line = [field, button] if entry.choices else [widgets.HBox([field, button])]
    box = widgets.VBox([*line, message])
    box.add_class("hpml-answer")
    return Control(box, field)


def _once_settled(field: Any, button: Any, send: Callable[[], None]) -> None:
    """Call `send` after Enter in `field` or a click on `button`, once the last value has arrived.

    In the browser, ipywidgets delays a second change until the kernel has received the first, but
    sends Enter and clicks at once. So at most one change arrives after them.
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
    # Not Text.on_submit, which is deprecated: this is the message behind it.
    field.on_msg(received)
    field.observe(settle, "value")


def put_away(display_id: str) -> None:
    """Remove a control from the page; the keyboard focus returns to the cell."""
    # The second page removes the script from the saved notebook.
    for page in (Page("", _FOCUS_CELL), Page("", "")):
        put(page, display_id, again=True)
