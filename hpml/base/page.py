"""Output of notebook cells, as plain text and as HTML that needs no kernel."""

from __future__ import annotations

import base64
import functools
import html
import importlib
import importlib.resources
import re
import sys
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Prints the content of a closed <details> of a page or notebook; older browsers ignore the rule.
PAPER = "<style>@media print {details::details-content {content-visibility: visible}}</style>"

# Exported pages show output in the font of prose and break lines inside words.
FIXED = (
    "font-family: var(--jp-code-font-family, monospace), monospace; font-size: 13px; "
    "line-height: 1.35; white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere;"
)

_CONTROL_TEXT = "(open the notebook in Jupyter to answer here)"


@dataclass(frozen=True)
class Page:
    """One output of a cell."""

    plain: str
    html: str
    png: bytes | None = None

    def __repr__(self) -> str:
        return self.plain

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self.bundle()

    def bundle(self) -> dict[str, str]:
        """Return the output by MIME type, as a notebook stores it."""
        data = {"text/plain": self.plain, "text/html": self.html}
        if self.png is not None:
            data["image/png"] = base64.b64encode(self.png).decode("ascii")
        return data


def say(text: str) -> Page:
    """Return prose with computed numbers, as the last value of a cell.

    Blank lines separate paragraphs, backticks enclose ``code``, double asterisks bold text.

    >>> say(f"One call took **{3.2:.1f} µs**.")
    One call took 3.2 µs.
    """
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip())]
    plain = [textwrap.fill(re.sub(r"\*\*([^*]+)\*\*", r"\1", part), 92) for part in parts]
    return Page("\n\n".join(plain), "".join(map(sentence, parts)))


def show_code(text: str, title: str = "") -> Page:
    """Return code, or the output of a program, as a fixed-width block below `title`.

    >>> show_code("h = l[0](x)", "Generated")
    Generated
    h = l[0](x)
    """
    block = f'<pre style="{FIXED}">{html.escape(text)}</pre>'
    head = f"<p><b>{html.escape(title)}</b></p>" if title else ""
    return Page((f"{title}\n{text}" if title else text).rstrip("\n"), head + block)


def picture(figure: Figure, text: str, after: str = "") -> Page:
    """Return a figure as a page with a description, and close the figure."""
    import matplotlib.pyplot as plt

    from hpml.base import style
    from hpml.base.described import image

    with style.apply():
        shown, png = image(figure, text)
    plt.close(figure)
    return Page(text, shown + after, png)


def frame(label: str, body: str, colour: str, attributes: str = "") -> str:
    """Return HTML with a coloured bar and a small label, to set a question apart from prose.

    `attributes` are further attributes of its outer element, such as ``' data-key="calls"'``.
    """
    return (
        f'<div{attributes} style="border-left: 4px solid {colour}; padding: 0.1em 0 0.1em 0.9em; '
        f'margin: 0.4em 0;"><small><b>{html.escape(label)}</b></small>{body}</div>'
    )


def put(page: Page, display_id: str, *, again: bool = False) -> None:
    """Display `page`, or with `again` replace its former display."""
    if notebook_shell() is None:
        if not again:
            print(page.plain)
        return
    from IPython.display import display, update_display

    publish: Any = update_display if again else display
    publish(page.bundle(), raw=True, display_id=display_id)


def put_control(control: Any, display_id: str, text: str = _CONTROL_TEXT) -> None:
    """Display a control as a separate output, which can be replaced by its `display_id`."""
    from IPython.display import display

    # ipywidgets 7 and 8 both show this; only 8 returns it.
    view = {"version_major": 2, "version_minor": 0, "model_id": control.model_id}
    data = {"text/plain": text, "application/vnd.jupyter.widget-view+json": view}
    publish: Any = display
    publish(data, raw=True, display_id=display_id)


@functools.cache
def asset(package: str, name: str) -> str:
    """Return a style sheet or script from a package's folder, without its comments."""
    text = importlib.resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"(?ms)^ *//[^\n]*\n|/\*.*?\*/\s*", "", text)


def notebook_shell() -> Any | None:
    """Return the running kernel's shell, or None outside a notebook."""
    # Without IPython loaded there is no kernel, and importing it is slow.
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def sentence(text: str) -> str:
    """Return one paragraph of HTML, with ``code`` and bold as in `say`."""
    safe = html.escape(text, quote=False)
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    return "<p>" + re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", safe) + "</p>"
