"""The code cells of a notebook as Python source: its JSON read, IPython's own lines blanked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any


class NotebookError(ValueError):
    """The text is no notebook; the message says what it lacks."""


_AGAIN = "Open it in Jupyter, save it, and hand in that file."

# Cell magics whose body is Python; the body of any other is text for something else.
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "memit", "snakeviz", "mprun"}
_MAGIC_LINE = re.compile(
    r"\s*[%!?]"  # %timeit f(), !ls, ?f
    r"|\s*[\w.*%]+\?{1,2}\s*$"  # f?
    r"|[\w\s,.*\[\]]+=\s*(!|%[a-zA-Z])"  # files = !ls
)
_PERHAPS = re.compile(r"^[ \t]*[%!?]|\?[ \t]*$|=[ \t]*[!%]", re.MULTILINE)


def code_cells(text: str, most: int = 100_000) -> dict[int, str]:
    """Return the source of each code cell by its number, counted from 1 over all cells."""
    try:
        notebook = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)[:100]
        raise NotebookError(
            f"This is not a notebook, it cannot be read as JSON: {why}. {_AGAIN}"
        ) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise NotebookError(f"This is not a notebook: the JSON has no list of cells. {_AGAIN}")
    if len(cells) > most:
        raise NotebookError(f"This notebook has {len(cells):,} cells; {most:,} are read.")
    return {
        number: _source(cell)
        for number, cell in enumerate(cells, start=1)
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    }


def without_magics(source: str) -> str:
    """Return a cell's source with what only IPython understands replaced, line for line."""
    source = _without_prompts(source)
    if not _PERHAPS.search(source):
        return source
    lines = source.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    magic = re.match(r"%%(\w*)", lines[first])
    if magic:
        if magic[1] not in _PYTHON_CELLS:
            return "\n" * (len(lines) - 1)
        lines[first] = ""
    kept = list(lines)
    continued = False
    for index, starts in _starts(lines):
        if continued or (starts and _MAGIC_LINE.match(lines[index])):
            line = lines[index]
            kept[index] = "" if continued else line[: len(line) - len(line.lstrip())] + "pass"
            continued = line.endswith("\\")
    return "\n".join(kept)


def written_files(sources: Iterable[str]) -> dict[str, str]:
    """Return what ``%%writefile`` cells write beside the notebook, by name."""
    found: dict[str, str] = {}
    for source in sources:
        first, _, rest = source.lstrip().partition("\n")
        named = re.fullmatch(r"%%writefile\s+(-a\s+)?[\"']?(\w[\w.-]*)[\"']?\s*", first)
        if named:
            found[named[2]] = (found.get(named[2], "") if named[1] else "") + rest
    return found


_PROMPT = re.compile(r"[ \t]*(>>> ?|In ?\[\d*\]: ?)")
_GOES_ON = re.compile(r"[ \t]*(>>> ?|\.{3}:? ?|In ?\[\d*\]: ?)|[ \t]*Out ?\[\d*\]:.*")


def _without_prompts(source: str) -> str:
    """Return a pasted session without its prompts, as IPython reads it; other text as it is."""
    lines = source.split("\n")
    if not _PROMPT.match(next((line for line in lines if line.strip()), "")):
        return source
    return "\n".join(_GOES_ON.sub("", line, count=1) for line in lines)


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")


_TOKEN = re.compile(
    r"""(?P<comment>\#.*)|(?P<long>\"\"\"|''')|(?P<short>["'])|(?P<bracket>[()\[\]{}])"""
)


def _starts(lines: list[str]) -> Iterator[tuple[int, bool]]:
    """Yield each line's index and whether a statement may start there.

    Not `tokenize`: it gives up at the first line that only IPython understands.
    """
    depth, quote, backslash = 0, "", False
    for index, line in enumerate(lines):
        starts = depth == 0 and not quote and not backslash
        yield index, starts
        if starts and _MAGIC_LINE.match(line):
            continue  # its brackets and quotes are not Python's
        depth, quote = _after(line, depth, quote)
        backslash = line.endswith("\\") and not quote


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Return how many brackets and which long text are open after `line`."""
    place = 0
    while place < len(line):
        if quote:
            end = _end(line, quote, place)
            if end < 0:
                return depth, quote
            place, quote = end, ""
            continue
        found = _TOKEN.search(line, place)
        if found is None or found["comment"]:
            break
        place = found.end()
        if found["long"]:
            quote = found["long"]
        elif found["short"]:
            end = _end(line, found["short"], place)
            place = end if end > 0 else len(line)
        else:
            depth = max(0, depth + (1 if found["bracket"] in "([{" else -1))
    return depth, quote


def _end(line: str, quote: str, place: int) -> int:
    """Return the place after the closing `quote`, or -1."""
    while place < len(line):
        if line[place] == "\\":
            place += 2
        elif line.startswith(quote, place):
            return place + len(quote)
        else:
            place += 1
    return -1
