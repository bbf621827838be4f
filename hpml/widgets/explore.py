"""A result that changes with a control: the slider is live, the result is an ordinary output."""

from __future__ import annotations

import importlib
import inspect
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from hpml.base.environment import flag, installed_version
from hpml.base.errors import describe
from hpml.base.page import notebook_shell, put_control
from hpml.widgets.errors import WidgetError


def explore(show: Callable[..., object], **controls: Sequence[object]) -> None:
    """Show what `show` returns, and let the reader change its arguments.

    Below a picture the picture of the previous choice stays, small and faint.

    Args:
        show: called with one value a control; returns anything a cell can show.
        **controls: for each argument the values it may take, two or more. It starts at the
            function's own default if that is among them, otherwise at the first.

    Raises:
        WidgetError: if a control has fewer than two values.

    >>> explore(lambda n: n * n, n=[3, 4, 5])
    9
    """
    for name, values in controls.items():
        if isinstance(values, str) or len(values) < 2:
            raise WidgetError(
                f"explore expects two or more values for {name}, got {describe(values)}."
            )
    start = _start(show, controls)
    shell = notebook_shell()
    if shell is None:
        print(show(**start))
        return
    place = uuid.uuid4().hex
    data, metadata = shell.display_formatter.format(show(**start))

    if controls and not flag("HPML_HEADLESS") and installed_version("ipywidgets") is not None:
        widgets: Any = importlib.import_module("ipywidgets")
        sliders = {
            name: _control(widgets, name, values, start[name]) for name, values in controls.items()
        }

        def changed(_: object) -> None:
            nonlocal data, metadata
            chosen, before = {name: slider.value for name, slider in sliders.items()}, data
            data, metadata = shell.display_formatter.format(show(**chosen))
            _publish(_with_ghost(data, before), metadata, place, again=True)

        for slider in sliders.values():
            slider.observe(changed, names="value")
        row = widgets.HBox(list(sliders.values()), layout={"flex_flow": "row wrap"})
        put_control(row, uuid.uuid4().hex, "(here you move a slider)")
    _publish(data, metadata, place, again=False)


def _control(widgets: Any, name: str, values: Sequence[object], start: object) -> Any:
    given = {
        "options": list(values),
        "value": start,
        "description": name.replace("_", " "),
        "style": {"description_width": "initial"},
    }
    if all(isinstance(value, str) for value in values):
        return widgets.Dropdown(**given)  # between texts there is nothing to slide along
    return widgets.SelectionSlider(continuous_update=False, **given)


def _with_ghost(data: dict[str, str], before: dict[str, str]) -> dict[str, str]:
    """Return a result with the picture of the previous one below it, if both are pictures."""
    if "image/png" not in data or "image/png" not in before:
        return data
    ghost = (
        '<p class="hpml-before"><small>Before:</small><br><img class="hpml-figure" '
        f'src="data:image/png;base64,{before["image/png"]}" alt="The picture of the previous '
        'choice" style="width: 45%; opacity: 0.6;"></p>'
    )
    return {**data, "text/html": data["text/html"] + ghost}


def _publish(data: Any, metadata: Any, place: str, *, again: bool) -> None:
    from IPython.display import display, update_display

    publish: Any = update_display if again else display
    publish(data, metadata=metadata, raw=True, display_id=place)


def _start(show: Callable[..., object], controls: dict[str, Sequence[object]]) -> dict[str, object]:
    defaults = {name: p.default for name, p in inspect.signature(show).parameters.items()}
    return {
        name: defaults[name] if name in defaults and defaults[name] in values else values[0]
        for name, values in controls.items()
    }
