"""Write the book: all executed labs as static pages with an index and a search."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hpml.base.files import shown_path
from hpml.course.lesson.command import execute_with_bar
from hpml.course.lesson.execute import headings, labs
from hpml.course.release import pages
from hpml.course.release.folder import ReleaseError, write_folder

if TYPE_CHECKING:
    from nbformat import NotebookNode


_EXECUTED = (
    "Each lab was executed from top to bottom, without answers: questions and exercises are open. "
    "To answer them, open the course in Jupyter."
)


def make_book(out: Path, executed: Path | None = None) -> None:
    """Write the book from the copies in `executed`, or from labs that are executed now."""
    notebooks = executed_labs(executed, labs())
    if missing := [path.stem for path in labs() if path.stem not in notebooks]:
        print(f"Not in the book, because there is no executed copy: {', '.join(missing)}")
    write_book(out, notebooks)
    print(f"The book is {shown_path(out / 'index.html')}")


def executed_labs(folder: Path | None, paths: Sequence[Path]) -> dict[str, NotebookNode]:
    """Return executed labs by name: copies of ``hpml run --out``, or, without a folder, run now.

    A copy must match the current lab; a lab without a copy is left out.
    """
    if folder is None:
        return {path.stem: _executed(path) for path in paths}
    import nbformat

    found: dict[str, NotebookNode] = {}
    for path in paths:
        if not (folder / path.name).is_file():
            continue
        copy, lab = (
            nbformat.read(each, as_version=4)  # type: ignore[no-untyped-call]
            for each in (folder / path.name, path)
        )
        if [cell.source for cell in copy.cells] != [cell.source for cell in lab.cells]:
            raise ReleaseError(
                object=f"the copy of lab {path.stem} in {folder}",
                expected="one of this version of the lab",
                received="one of another version",
                remedy=f"Run `hpml run {path.stem[:2]} --out {folder}` to make a new one.",
            )
        found[path.stem] = copy
    if paths and not found:
        first = paths[0].stem
        raise ReleaseError(
            object=str(folder),
            expected=f"a copy of {first}",
            received="none",
            remedy=f"Run `hpml run {first[:2]} --out {folder}` to make one.",
        )
    return found


def _executed(path: Path) -> NotebookNode:
    run = execute_with_bar(path)
    if run.failure is not None:
        raise ReleaseError(
            f"{path.stem}: {run.failure}\n",
            object=path.stem,
            expected="a lab that runs",
            received=str(run.failure),
            remedy=f"Run `hpml run {path.stem[:2]}` to see the whole error.",
        )
    return run.notebook


def write_book(out: Path, notebooks: Mapping[str, NotebookNode]) -> None:
    """Write the book of executed labs, given by name; refuse failed and unexecuted cells."""
    for name, notebook in notebooks.items():
        _refuse_failed(name, notebook)
    files = book_files(notebooks)
    write_folder(out, {name: text.encode("utf-8") for name, text in files.items()}, "book")


def book_files(notebooks: Mapping[str, NotebookNode], about: str = _EXECUTED) -> dict[str, str]:
    """Return all files of the book by name; `about` is the text of its index."""
    names = {name[:2]: f"{name}.html" for name in notebooks}
    titles = {name: pages.title_of(notebook) for name, notebook in notebooks.items()}
    files = {"book.css": pages.style()}
    order = list(notebooks)
    for place, (name, notebook) in enumerate(notebooks.items()):
        beside = {
            "←": order[place - 1] if place else "",
            "→": "".join(order[place + 1 : place + 2]),
        }
        links = "".join(
            f'<a href="{other}.html">{arrow} {html.escape(titles[other])}</a>'
            for arrow, other in beside.items()
            if other
        )
        links = f'<a href="index.html">All labs</a>{links}'
        files[f"{name}.html"] = pages.page(name, notebook, names, links)
    sections = [
        [f"{name}.html", titles[name], *section]
        for name, notebook in notebooks.items()
        for section in _sections(notebook, files[f"{name}.html"])
    ]
    found = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    files["search.js"] = f"const SECTIONS = {found};\n{pages.own('book.js')}"
    files["index.html"] = _index(notebooks, titles, about)
    return files


def _refuse_failed(name: str, notebook: NotebookNode) -> None:
    for heading, cell in zip(headings(notebook), notebook.cells, strict=True):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        where = f"lab {name}, cell {cell.id} under “{heading}”"
        for output in cell.outputs:
            if output.output_type == "error":
                raise ReleaseError(
                    f"{where} failed: {output.ename}: {output.evalue}\n{cell.source}\n",
                    object=where,
                    expected="a cell that runs",
                    received=f"{output.ename}: {output.evalue}",
                    remedy=f"Run `hpml run {name[:2]}` to see the whole error.",
                )
        if cell.execution_count is None:
            raise ReleaseError(
                object=where,
                expected="a cell that was executed",
                received="one that was not",
                remedy=f"Run `hpml run {name[:2]}` to see why.",
            )


def _sections(notebook: NotebookNode, page: str) -> list[list[str]]:
    """Return the anchor, heading and text of each searchable part of a lab."""
    headings = re.findall(r'<h\d[^>]* id="([^"]+)"[^>]*>(.*?)</h\d>', page)
    places = {html.unescape(re.sub(r"<[^>]+>", "", text)): place for place, text in headings}
    found, heading = [], ""
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            found.append([f"cell-id={cell.id}", heading, " ".join(cell.source.split())])
            continue
        for piece in re.split(r"^(?=#+ )", cell.source, flags=re.MULTILINE):
            text = re.sub(r"<[^>]+>|[*`|]", "", piece).strip()
            place = f"cell-id={cell.id}"
            if begins := re.match(r"#+ (.+)", text):
                heading = begins[1].strip()
                place, text = places.get(heading, place), text[begins.end() :]
            if text:
                found.append([place, heading, " ".join(text.split())])
    return found


def _index(notebooks: Mapping[str, NotebookNode], titles: Mapping[str, str], intro: str) -> str:
    rows = []
    for name, notebook in notebooks.items():
        time = re.search(r"\*\*Time\*\*[^:]*: ([^.]+)\.", notebook.cells[0].source)
        about = f"<br><small>{html.escape(time[1].replace('*', ''))}</small>" if time else ""
        rows.append(f'<li><a href="{name}.html">{html.escape(titles[name])}</a>{about}</li>')
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1.0">
<title>The labs</title><link rel="stylesheet" href="book.css"></head>
<body>
<main class="hpml-index jp-RenderedHTMLCommon">
<h1>The labs</h1>
<p>{intro}</p>
<p><label for="search">Search in all labs</label><br><input id="search" type="search"></p>
<p id="said" role="status"></p>
<ol id="found"></ol>
<h2>In order</h2>
<ul>{"".join(rows)}</ul>
</main>
<script src="search.js"></script>
</body>
</html>
"""
