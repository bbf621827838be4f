"""Make a lecture deck from an executed lab: questions, pictures, explanations and results."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.files import shown_path, write_atomically
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.predictions.prediction import ASKS
from hpml.course.lesson.reference import recorded
from hpml.course.release import pages
from hpml.course.release.book import executed_labs
from hpml.course.release.reading import predictions

if TYPE_CHECKING:
    from nbformat import NotebookNode

MOST_WORDS = 70
"""A paragraph longer than this is for readers, not for a screen."""


def make_slides(lab: str, out: Path, executed: Path | None = None) -> Path:
    """Write the deck of a lab as a page in the folder `out`; return its path."""
    source = find_lab(lab)
    notebook = executed_labs(executed, [source])[source.stem]
    path = out / f"{source.stem}.html"
    write_atomically(path, deck(notebook))
    print(f"The slides are {shown_path(path)}")
    return path


def deck(notebook: NotebookNode) -> str:
    """Return the page with all slides."""
    title = html.escape(pages.title_of(notebook))
    body = "\n".join(f"<section>{each}</section>" for each in slides(notebook))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{pages.own('slides.css')}</style></head>\n<body>\n{body}\n"
        f"<script>{pages.own('slides.js')}</script></body></html>\n"
    )


def slides(notebook: NotebookNode) -> Iterator[str]:
    """Yield the slides: the head, then pictures, questions and answers of each core section."""
    head, *cells = notebook.cells
    lab = str(re.search(r"\d\d", head.source)[0])  # type: ignore[index]
    goals = re.search(r"After it you can\n\n(?:- .*\n?)+", head.source)
    yield _markdown(f"# {pages.title_of(notebook)}\n\n{goals[0] if goals else ''}")
    heading = opening = context = code = ""
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if "further" in tags or cell.source == "calibration()":
            continue
        if cell.cell_type == "markdown":
            *_, last = cell.source.strip().split("\n\n")
            context, code = _short(last), ""
            for found in re.finditer(r"^## (.+)", cell.source, re.MULTILINE):
                heading = f"<h2>{html.escape(found[1])}</h2>"
                first, _, rest = cell.source[found.end() :].strip().partition("\n\n")
                opening = _short(first) + (_listing(rest) if first.endswith(":") else "")
                context = "" if first == last else context
            for summary, answer in _folded(cell.source):
                yield f"<h2>{summary}</h2>{_markdown(answer)}"
            continue
        result, asked = "result" in tags, predictions([cell])
        code += "" if "exercise" in tags else _definitions(cell.source)
        for data in (output.get("data", {}) for output in cell.outputs):
            shown = _shown(data, result)
            if data.get("text/plain", "").startswith(ASKS):
                about = "" if "<pre" in opening else context
                shown = about + code + shown + _answer(lab, next(asked))
                context = code = ""
            if shown:
                yield f"<h2>Results</h2>{shown}" if result else heading + opening + shown
                opening = ""


def _short(text: str) -> str:
    """Return a short paragraph of prose for a slide, or an empty string."""
    fits = 0 < len(text.split()) <= MOST_WORDS and re.match(r"[A-Z0-9\"“]|`\w", text)
    return _markdown(text) if fits else ""


def _listing(text: str) -> str:
    """Return the listing at the start of a text, or an empty string."""
    found = re.match(r"```\w*\n.*?```", text, re.DOTALL)
    return _markdown(found[0]) if found else ""


def _definitions(source: str) -> str:
    """Return the source of the functions that a cell defines, for the next question."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a magic command
        return ""
    parts = [node for node in body if isinstance(node, ast.FunctionDef)]
    code = "\n\n".join(ast.get_source_segment(source, node) or "" for node in parts)
    return f"<pre>{html.escape(code)}</pre>" if code else ""


def _shown(data: dict[str, str], result: bool) -> str:
    """Return a slide for one output: a question, a picture, or a table of results."""
    text = data.get("text/plain", "")
    if text.startswith(ASKS):
        question, *options = text.removeprefix(ASKS).splitlines()[:-1]
        chosen = "".join(f"<li>{html.escape(each.partition('. ')[2])}</li>" for each in options)
        return f'<div class="question">{_markdown(question)}<ol>{chosen}</ol></div>'
    if "image/png" in data:
        caption = html.escape(text.partition(". ")[0])
        return f'<img alt="{caption}" src="data:image/png;base64,{data["image/png"].strip()}">'
    return f'<div class="results">{data.get("text/html", "")}</div>' if result else ""


def _answer(lab: str, asked: dict[str, str]) -> str:
    """Return the folded recorded result of a question, or an empty string."""
    known = html.escape(recorded(lab, asked["key"]))
    return f"<details><summary>Answer</summary><p>{known}</p></details>" if known else ""


def _folded(source: str) -> list[tuple[str, str]]:
    """Return the summary and text of a folded part of a cell."""
    found = re.findall(r"<details><summary>(.*?)</summary>(.*?)</details>", source, re.DOTALL)
    return [(summary, answer) for summary, answer in found if len(answer.split()) <= 2 * MOST_WORDS]


def _markdown(text: str) -> str:
    from nbconvert.filters import markdown2html

    found: str = markdown2html(text.strip())
    return re.sub(r"<a class=.anchor-link.*?</a>", "", found)
