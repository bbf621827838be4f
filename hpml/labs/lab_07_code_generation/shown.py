"""Errors as the page shows them, by the lines of generated code that they passed."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable

from hpml.base.page import Page, show_code
from hpml.course.errors import LabError


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
        return show_code("\n".join(line for line in lines if line.strip()))
    raise LabError("error_page expects something that fails, but nothing did: change its input.")
