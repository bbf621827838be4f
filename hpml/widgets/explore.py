"""Show the result of a function, with a control for each argument."""

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
    """Show the value of `show`, and let the reader change its arguments.

    A picture is followed by that of the previous choice, small and faint.

    Args:
        show: called with one value per control; returns anything that a cell can show.
        **controls: two or more values for each argument. A control starts at the function's default
            if that is among them, otherwise at the first.

    Raises:
        WidgetError: if a control has fewer than two values.

    >>> explore(lambda n: n * n, n=[3, 4, 5])
    9
    """
    for name, values in controls.items():
        if isinstance(values, str) or len(values) < 2:
            raise WidgetError(
                object=f"{name} of explore",
                expected="two or more values",
                received=describe(values),
                remedy=f"Pass {name}=[first, second].",
            )
    start = _start(show, controls)
    shell = notebook_shell()
    if shell is None:
        print(show(**start))
        return
    display_id = uuid.uuid4().hex
    data, metadata = shell.display_formatter.format(show(**start))

    if controls and not flag("HPML_HEADLESS") and installed_version("ipywidgets") is not None:
        widgets: Any = importlib.import_module("ipywidgets")
        sliders = {
            name: _control(widgets, name, values, start[name]) for name, values in controls.items()
        }

        def update(_: object) -> None:
            nonlocal data, metadata
            values, previous = {name: slider.value for name, slider in sliders.items()}, data
            data, metadata = shell.display_formatter.format(show(**values))
            _publish(_with_previous(data, previous), metadata, display_id, again=True)

        for slider in sliders.values():
            slider.observe(update, names="value")
        row = widgets.HBox(list(sliders.values()), layout={"flex_flow": "row wrap"})
        put_control(row, uuid.uuid4().hex, "(open the notebook in Jupyter to move a slider)")
    _publish(data, metadata, display_id, again=False)


def _control(widgets: Any, name: str, values: Sequence[object], start: object) -> Any:
    options = {
        "options": list(values),
        "value": start,
        "description": name.replace("_", " "),
        "style": {"description_width": "initial"},
    }
    if all(isinstance(value, str) for value in values):
        return widgets.Dropdown(**options)  # texts have no order to slide along
    return widgets.SelectionSlider(continuous_update=False, **options)


def _with_previous(data: dict[str, str], previous: dict[str, str]) -> dict[str, str]:
    """Return a result with the previous picture below it, if both results are pictures."""
    if "image/png" not in data or "image/png" not in previous:
        return data
    image = (
        '<p class="hpml-before"><small>Before:</small><br><img class="hpml-figure" '
        f'src="data:image/png;base64,{previous["image/png"]}" alt="The picture of the previous '
        'choice" style="width: 45%; opacity: 0.6;"></p>'
    )
    return {**data, "text/html": data["text/html"] + image}


def _publish(data: Any, metadata: Any, display_id: str, *, again: bool) -> None:
    from IPython.display import display, update_display

    publish: Any = update_display if again else display
    publish(data, metadata=metadata, raw=True, display_id=display_id)


def _start(show: Callable[..., object], controls: dict[str, Sequence[object]]) -> dict[str, object]:
    defaults = {name: p.default for name, p in inspect.signature(show).parameters.items()}
    return {
        name: defaults[name] if name in defaults and defaults[name] in values else values[0]
        for name, values in controls.items()
    }
