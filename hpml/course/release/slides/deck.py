"""Make a lecture deck from an executed lab: questions, pictures, what moves, and results."""

from __future__ import annotations

import ast
import base64
import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base.files import shown_path, write_atomically
from hpml.base.page import asset
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.predictions.prediction import ASKS
from hpml.course.lesson.reference import read_record, recorded, where_recorded
from hpml.course.release import pages
from hpml.course.release.book import executed_labs
from hpml.course.release.reading import length_of, predictions, sections_of
from hpml.course.release.slides.recorded import belongs, is_measured, ratios, tables

if TYPE_CHECKING:
    from nbformat import NotebookNode

MOST_WORDS = 70
"""A paragraph longer than this is for readers, not for a screen."""
MOST_QUESTIONS = 3
"""On one slide."""
MOST_INCHES = 5.5
"""A higher picture is scrolled: fitted to the slide, its letters would be too small."""
RESOLUTION = 160
"""Pixels per inch of the pictures, see `hpml.base.style`."""
_MOVES = re.compile(r'class="hpml-(?:animation|icicle)')
_ASIDE = re.compile(r" *\([^()]*(?:\b\d\d\.\d|asked in section)[^()]*\)")
_AMOUNT = re.compile(r"\d\s?(?:ns|µs|ms|s|seconds|[MG]B/s|GFLOP/s)\b|\bhere\b|\bfirst \d")


class Slide(NamedTuple):
    """A heading, what is below it as HTML, and the speaker's notes as HTML."""

    heading: str
    body: str
    notes: str = ""


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
    seen: Counter[str] = Counter()
    body = []
    for place, slide in enumerate(slides(notebook)):
        level, more = 2 if place else 1, " <small>(continued)</small>" * (seen[slide.heading] > 0)
        seen[slide.heading] += 1
        body.append(
            f"<section><h{level}>{slide.heading}{more}</h{level}>"
            f'<div class="fit">{slide.body}</div><aside class="notes">{slide.notes}</aside>'
            "</section>"
        )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{asset(__package__, 'slides.css')}</style></head>\n<body>\n{chr(10).join(body)}\n"
        f"<script>{asset(__package__, 'slides.js')}</script></body></html>\n"
    )


def slides(notebook: NotebookNode) -> Iterator[Slide]:
    """Yield the slides: the head, then questions, pictures and what moves in each core section.

    Where the lab has a record of a quiet run, it gives the answers, the results and the pictures of
    ratios. Other pictures that compare times are left out, since they could contradict it.
    """
    head, *cells = notebook.cells
    lab = str(re.search(r"\d\d", head.source)[0])  # type: ignore[index]
    record = read_record(lab)
    drawn = ratios(record) if record else []
    yield _first(notebook, head.source)
    plan = _plan(notebook)
    heading = opening = context = code = notes = ""
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if "further" in tags or cell.source == "calibration()":
            continue
        if cell.cell_type == "markdown":
            *_, last = cell.source.strip().split("\n\n")
            context, code = _short(last), ""
            for found in re.finditer(r"^## (.+)", cell.source, re.MULTILINE):
                heading = html.escape(found[1])
                first, _, rest = cell.source[found.end() :].strip().partition("\n\n")
                opening = _short(first) + (_listing(rest) if first.endswith(":") else "")
                context = "" if first == last else context
                notes = plan.get(found[1], "")
            prose = re.sub(r"(?s)<details>.*?</details>", "", cell.source)
            notes += _markdown(re.sub(r"(?m)^## .*\n?", "", prose))
            for summary, answer in _folded(cell.source):
                yield Slide(summary, _markdown(answer))
            continue
        result, asked = "result" in tags, predictions([cell])
        code += "" if "exercise" in tags else _definitions(cell.source)
        if result and record:
            for table in tables(record):
                yield Slide("Results", f'<div class="results">{table._repr_html_()}</div>')
            continue
        outputs = [output.get("data", {}) for output in cell.outputs]
        if questions := [data for data in outputs if _text(data).startswith(ASKS)]:
            about = ("" if "<pre" in opening else context) + code
            for first in range(0, len(questions), MOST_QUESTIONS):
                part = questions[first : first + MOST_QUESTIONS]
                shown = "".join(_question(_text(data)) + _answer(lab, next(asked)) for data in part)
                yield Slide(heading, _introduced(opening, about + shown), notes)
                opening = about = notes = ""
            context = code = ""
        for data in outputs:
            text = _text(data)
            if record and "image/png" in data and is_measured(text):
                group = next((each for each in drawn if belongs(each, text)), None)
                if group is None:
                    continue
                drawn.remove(group)
                shown = _shown(group.draw(where_recorded(record)).bundle())
            elif shown := _shown(data, keeps=result or "slide" in tags):
                shown += _measured_now(data) * (record is not None and _is_timed(data))
            if opening and shown.startswith("<img"):  # both on one slide would be too small
                yield Slide(heading, _introduced(opening, ""), notes)
                opening = notes = ""
            if shown:
                yield Slide("Results" if result else heading, _introduced(opening, shown), notes)
                opening = notes = ""
    for group in drawn:
        yield Slide("Results", _shown(group.draw(where_recorded(record or {})).bundle()))


def _first(notebook: NotebookNode, head: str) -> Slide:
    """Return the title, and what students can do afterwards; exercises are for the notes."""
    goals = re.search(r"After it you can\n\n(?:- .*\n?)+", head)
    listed = goals[0] if goals else ""
    shown = re.sub(r"(?m)^- \*going further\*.*\n?", "", _ASIDE.sub("", listed))
    time = re.search(r"\*\*Time\*\*[^\n]*", head)
    return Slide(
        html.escape(pages.title_of(notebook)),
        _markdown(shown),
        _markdown(f"{time[0] if time else ''}\n\n{listed}"),
    )


def _plan(notebook: NotebookNode) -> dict[str, str]:
    """Return by section what the lab's plan says of it: minutes, questions, exercises."""
    found = {}
    for heading, part in sections_of(notebook):
        text = "\n".join(cell.source for cell in part.cells)
        asked = len(list(predictions(part.cells)))
        facts = [f"{length_of(part).core.minutes:.0f} minutes in the lab"]
        facts += [f"{asked} prediction{'s' * (asked != 1)}"] * (asked > 0)
        facts += re.findall(r"\*\*(Exercise \S+ `\w+`)\*\*", text)
        found[heading] = _markdown(f"*Plan: {', '.join(facts)}.*")
    return found


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


def _text(data: Mapping[str, Any]) -> str:
    return str(data.get("text/plain", ""))


def _introduced(opening: str, shown: str) -> str:
    """Return a slide's text with its opening, which announces only what follows on the slide."""
    if "<pre" not in opening + shown:
        opening = re.sub(r":(?=</p>)", ".", opening)
    return opening + shown


def _question(text: str) -> str:
    question, *lines = text.removeprefix(ASKS).splitlines()
    options = [found[1] for line in lines if (found := re.match(r"\d+\. (.*)", line))]
    chosen = "".join(f"<li>{html.escape(each)}</li>" for each in options)
    return f'<div class="question">{_markdown(question)}<ol>{chosen}</ol></div>'


def _shown(data: Mapping[str, Any], *, keeps: bool = False) -> str:
    """Return what a slide shows of one output: what moves, a picture, or with `keeps` a table."""
    page = str(data.get("text/html", ""))
    if _MOVES.search(page):
        return page
    if _text(data).startswith(ASKS):
        return ""
    if "image/png" in data:
        caption = html.escape(_text(data).partition(". ")[0])
        png = data["image/png"].strip()
        image = f'<img alt="{caption}" src="data:image/png;base64,{png}">'
        # Scaled to the slide, the letters of a tall picture would be too small.
        label = f'class="tall" tabindex="0" role="region" aria-label="{caption}"'
        return f"<div {label}>{image}</div>" if _height(png) > MOST_INCHES else image
    return f'<div class="results">{page}</div>' if keeps and "<table" in page else ""


def _height(png: str) -> float:
    """Return the height of a picture in inches, from the head of its file."""
    size = base64.b64decode(png)[16:24]
    return int.from_bytes(size[4:], "big") / RESOLUTION


def _is_timed(data: Mapping[str, Any]) -> bool:
    """Return whether an output shows times; those of an animation are chosen or simulated."""
    return bool(_AMOUNT.search(_text(data))) and "hpml-animation" not in data.get("text/html", "")


def _measured_now(data: Mapping[str, Any]) -> str:
    """Return the note of a slide with times that are not those of the record."""
    kind = "picture" if "image/png" in data else "profile"
    return f'<p class="origin">This {kind} is from the run that made these slides.</p>'


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
