"""Read the code cells of a notebook as Python source; IPython translates its own syntax."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from typing import Any

from hpml.base.errors import describe
from hpml.course.lesson.errors import LabError

_AGAIN = "Open it in Jupyter, save it, and hand in that file."
_LONGEST = 200_000  # characters: longer cells are not passed to IPython's transformer
_CHOSEN = re.compile(r"(?m)^You chose (\d{1,2})(?: first, which counts)?\. ")
_RUN_HERE = re.compile(r"^([ \t]*)%(?:time|prun)[ \t]+(?=\S)", re.MULTILINE)
_FIRST_LINE = re.compile(r"\s*%%(!|[\w.]+)[ \t]*([^\n]*)\n?")
# Cell magics whose body is not Python, or runs in another process.
_NOT_PYTHON = {
    "!", "HTML", "SVG", "bash", "cmd", "html", "javascript", "js", "latex", "markdown", "perl",
    "pypy", "python", "python2", "python3", "ruby", "script", "sh", "svg", "sx", "system",
}  # fmt: skip


class NotebookError(LabError):
    """The text is not a notebook; the message says why."""


def code_cells(text: str, most: int = 100_000) -> dict[int, str]:
    """Return the source of each code cell by its number, counted from 1 over all cells."""
    return {
        number: _source(cell)
        for number, cell in enumerate(_cells(text, most), start=1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    }


def _cells(text: str, most: int = 100_000) -> list[Any]:
    """Return the cells of a notebook as they are in its JSON."""
    try:
        notebook = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:100]
        raise NotebookError(
            f"This is not a notebook: it cannot be read as JSON: {why}.",
            object="notebook",
            expected="JSON",
            received=why,
            remedy=_AGAIN,
        ) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if isinstance(notebook, dict) and cells is None and notebook.get("nbformat") == 3:
        sheets = notebook.get("worksheets")
        first = sheets[0] if isinstance(sheets, list) and sheets else {}
        cells = first.get("cells") if isinstance(first, dict) else None
    if not isinstance(cells, list):
        raise NotebookError(
            "This is not a notebook: the JSON has no list of cells.",
            object="notebook",
            expected="JSON with a list of cells",
            received=describe(notebook),
            remedy=_AGAIN,
        )
    if len(cells) > most:
        raise NotebookError(
            object="notebook",
            expected=f"at most {most:,}",
            received=f"{len(cells):,} cells",
            remedy="Hand in the course's notebook with your answers, and no cells of other files.",
        )
    return cells


def first_choice(text: str) -> int | None:
    """Return the number that `explain` showed as the first choice in a notebook's outputs, if any.

    The outputs of a notebook that was run and saved keep it when the number is changed later.
    """
    if "You chose" not in text:
        return None
    with contextlib.suppress(NotebookError, AttributeError, TypeError):
        for cell in _cells(text):
            for output in cell.get("outputs", ()):
                shown = output.get("text", output.get("data", {}).get("text/plain", ""))
                if found := _CHOSEN.search("".join(shown)):
                    return int(found[1])
    return None


def text_cell_with(text: str, words: str) -> int | None:
    """Return the number of the first cell that is no code and contains some words, if any."""
    if words not in text:
        return None
    with contextlib.suppress(NotebookError, AttributeError, TypeError):
        for number, cell in enumerate(_cells(text), start=1):
            if cell.get("cell_type") != "code" and words in _source(cell):
                return number
    return None


def python_cells(text: str, most: int = 100_000) -> dict[int, str]:
    """Return the code cells as Python source, with IPython's syntax translated."""
    return {number: as_python(source) for number, source in code_cells(text, most).items()}


def executed_cells(shell: Any) -> dict[int, str]:
    """Return the cells that a kernel has executed as Python source, by their execution count."""
    # As they were written: `In` has IPython's translation, in which magics are calls.
    manager = getattr(shell, "history_manager", None)
    written = getattr(manager, "input_hist_raw", None) or getattr(shell, "user_ns", {}).get("In")
    cells = written if isinstance(written, list) else []
    return {number: _as_python(cell) for number, cell in enumerate(cells) if cell}


@functools.lru_cache(maxsize=2000)
def _as_python(source: str) -> str:
    return as_python(source)


def as_python(source: str) -> str:
    """Return the source of a cell as Python."""
    from IPython.core.inputtransformer2 import TransformerManager

    magic = _FIRST_LINE.match(source)
    if magic:
        body = source[magic.end() :]
        if magic[1] in _NOT_PYTHON:
            return ""
        if magic[1] in ("writefile", "file"):
            mode = "a" if magic[2].startswith("-a ") else "w"
            name = magic[2].removeprefix("-a ").strip(" \"'")
            return f"with open({name!r}, {mode!r}) as _file:\n    _file.write({body!r})\n"
        return "\n" * source[: magic.end()].count("\n") + as_python(body)
    if len(source) > _LONGEST:
        return source
    try:
        text: str = TransformerManager().transform_cell(_RUN_HERE.sub(r"\1", source))  # type: ignore[no-untyped-call]
        return text
    except Exception:  # noqa: BLE001 - what IPython cannot read is reported as a cell that fails
        return source


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")
