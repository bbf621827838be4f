"""Estimate how long a lab takes from its cells and the estimates in its exercises' declarations.

These are the author's estimates; no class was observed. Cells tagged ``further`` are *going
further*; all others are the core.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hpml.course.labs.catalogue import LABS, exercises

if TYPE_CHECKING:
    from nbformat import NotebookNode

RULES = re.compile(r"\n\n\*It may import [^\n]*\*\Z")
"""The last line of an exercise's statement, which is made from its declaration."""
WORDS_A_MINUTE = 130
MINUTES_A_CELL = 1.5
_FUNCTION = re.compile(r"(?m)^def (\w+)\(")


class Reading(NamedTuple):
    """The amount of work in one part of a lab.

    An exercise is a cell tagged ``exercise`` with a function, together with its check; `solving` is
    the sum of their minutes. The choice of an explanation counts as an ordinary code cell.

    >>> Reading(words=1300, cells=10, solving=16).minutes
    41.0
    """

    words: int
    cells: int
    solving: float

    @property
    def minutes(self) -> float:
        """The minutes for reading, running and solving."""
        return self.words / WORDS_A_MINUTE + MINUTES_A_CELL * self.cells + self.solving


@dataclass(frozen=True)
class Length:
    """The work in a lab: its core and *going further*."""

    core: Reading
    further: Reading

    @property
    def minutes(self) -> tuple[int, int]:
        """The minutes of the core and of *going further*, to the nearest five."""
        core, further = (5 * round(part.minutes / 5) for part in (self.core, self.further))
        return core, further

    @property
    def head(self) -> str:
        """The sentence in the lab's head, to the nearest five minutes.

        >>> Length(Reading(1300, 10, 16), Reading(260, 4, 8)).head
        "**Time** (the author's estimate): 40 minutes, and 15 more with what is marked *going ...
        >>> Length(Reading(1300, 10, 16), Reading(0, 0, 0)).head
        "**Time** (the author's estimate): 40 minutes."
        """
        core, further = self.minutes
        more = f", and {further} more with what is marked *going further*" if further else ""
        return f"**Time** (the author's estimate): {core} minutes{more}."


def length_of(notebook: NotebookNode) -> Length:
    """Return the work in a lab."""
    parts = []
    for further in (False, True):
        cells = [cell for cell in notebook.cells if ("further" in _tags(cell)) is further]
        code = [c for c in cells if c.cell_type == "code" and "setup" not in _tags(c)]
        written = [c for c in code if "exercise" in _tags(c) and "def " in c.source]
        checks = [cell for cell in code if cell.source.startswith("check(")]
        texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
        words = sum(map(count_words, texts))
        names = [name for cell in written for name in _FUNCTION.findall(cell.source)]
        solving = sum(_estimates()[name] for name in names if name in _estimates())
        parts.append(Reading(words, len(code) - len(written) - len(checks), solving))
    return Length(*parts)


@functools.cache
def _estimates() -> dict[str, float]:
    """Return the declared minutes of each exercise of the course, by its name."""
    return {each.name: each.minutes for lab in LABS for each in exercises(lab)}


def sections_of(notebook: NotebookNode) -> list[tuple[str, NotebookNode]]:
    """Return the sections of a lab, each with its heading, as notebooks of their own."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    sections: list[tuple[str, list[NotebookNode]]] = [("Introduction", [])]
    for cell in notebook.cells:
        pieces = [cell]
        if cell.cell_type == "markdown":
            texts = re.split(r"(?m)^(?=## )", cell.source)
            pieces = [new_markdown_cell(text, metadata=cell.metadata) for text in texts if text]  # type: ignore[no-untyped-call]
        for piece in pieces:
            if begins := re.match(r"## (.+)", piece.source):
                sections.append((begins[1], []))
            sections[-1][1].append(piece)
    return [(heading, new_notebook(cells=cells)) for heading, cells in sections]  # type: ignore[no-untyped-call]


def predictions(cells: Iterable[NotebookNode]) -> Iterator[dict[str, str]]:
    """Return the questions that the cells ask, with their keys, in the order of the text."""
    for cell in cells:
        if cell.cell_type != "code" or "predict(" not in cell.source:
            continue
        tree = ast.parse(cell.source)
        names = {
            ast.unparse(node.targets[0]): node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
        }
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        # The walk goes level by level: a question inside of a dictionary would come late.
        for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
            if ast.unparse(node.func) == "predict":
                given = {each.arg: each.value for each in node.keywords}
                key = ast.unparse(given["key"]).strip("'")
                asked = names.get(ast.unparse(node.args[0]), node.args[0])
                yield {"question": _text(asked), "key": key}


def _text(literal: ast.expr) -> str:
    """Return the text of a string or an f-string, with "…" for computed parts."""
    if isinstance(literal, ast.JoinedStr):
        return "".join(map(_text, literal.values))
    return str(literal.value) if isinstance(literal, ast.Constant) else "…"


def count_words(markdown: str) -> int:
    """Count the words of prose in a Markdown text, without listings and tags.

    >>> count_words("Two *words*<br> and `a = b` | here")
    5
    """
    return len(re.findall(r"[^\W_][^\s|]*", prose(markdown)))


def prose(markdown: str) -> str:
    """Return the text without listings and tags; inline code counts as one word."""
    text = RULES.sub("", markdown)  # looked up, not read
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    text = re.sub(r"</?(?:details|summary|p|br)[^>]*>", "\n\n", text)
    text = re.sub(r"<!--.*?-->|</?\w[^>]*>", "", text, flags=re.S)
    return re.sub(r"`[^`\n]+`", "Code", text)  # may begin a sentence


def _tags(cell: NotebookNode) -> list[str]:
    tags: list[str] = cell.metadata.get("tags", [])
    return tags
