"""Program text and errors as the page shows them."""

from __future__ import annotations

import html
import linecache
import traceback
from collections.abc import Callable

from hpml.base.page import Page
from hpml.course.errors import LabError

# An exported page gives output the font of its prose and breaks lines inside words.
_FIXED = (
    "font-family: var(--jp-code-font-family, monospace), monospace; font-size: 13px; "
    "line-height: 1.35; white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere;"
)


def listing(text: str, title: str = "") -> Page:
    """Return program text as a page, in a fixed-width block.

    >>> listing("h = l[0](x)")
    h = l[0](x)
    """
    head = f"<p><b>{html.escape(title)}</b></p>" if title else ""
    plain = f"{title}\n{text}" if title else text
    block = f'<pre style="{_FIXED}">{html.escape(text)}</pre>'
    return Page(plain.rstrip("\n"), head + block)


def error_page(run: Callable[[], object]) -> Page:
    """Run something that fails, and show the part of its traceback that is about generated code.

    Frames of files are left out: what is kept is where no file exists, the error and its notes.

    Raises:
        LabError: if nothing failed.
    """
    try:
        run()
    except Exception as error:  # noqa: BLE001 - any failure is what we are here for
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith("<") and not frame.filename.startswith("<ipython")
        ]
        lines = []
        for frame in frames:
            lines.append(f'File "{frame.filename}", line {frame.lineno}, in {frame.name}')
            lines.append(f"    {linecache.getline(frame.filename, frame.lineno or 0).strip()}")
        lines += [line.rstrip() for line in traceback.format_exception_only(error)]
        return listing("\n".join(line for line in lines if line.strip()))
    raise LabError("error_page expects something that fails, but nothing did: change its input.")
