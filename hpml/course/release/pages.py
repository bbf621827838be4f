"""Convert an executed lab to a page with nbconvert; the page loads nothing from the network."""

from __future__ import annotations

import copy
import functools
import importlib.resources
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hpml.course.release import figures
from hpml.course.release.asking import ask_on_page

if TYPE_CHECKING:
    from nbformat import NotebookNode

_CONTROL = "application/vnd.jupyter.widget-view+json"
_SET_UP = re.compile(r"\blab_head\(\d")
# Listings, code, links and tags stay as they are; elsewhere "lab 07" becomes a link.
_PIECES = re.compile(
    r"(?P<kept>```.*?```|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|<[^>]+>)|\b[Ll]ab (?P<lab>\d\d)\b",
    re.DOTALL,
)


def title_of(notebook: NotebookNode) -> str:
    """Return the first heading of a lab."""
    found = re.search(r"^# (.+)", "\n".join(cell.source for cell in notebook.cells), re.MULTILINE)
    return found[1].strip() if found else "A lab without a title"


def page(name: str, notebook: NotebookNode, names: Mapping[str, str], links: str) -> str:
    """Return the page of an executed lab; `names` has the page of each lab by number."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("widgets", None)
    others = {number: page for number, page in names.items() if number != name[:2]}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _PIECES.sub(functools.partial(_piece, others), cell.source)
        elif cell.cell_type == "code":
            _prepare(cell)
    ask_on_page(notebook.cells)
    figures.number_figures(name[:2], notebook.cells)
    top = figures.hero(name[:2], notebook.cells)
    notebook.cells = [part for cell in notebook.cells for part in _folded(cell)]
    if top:
        notebook.cells[:1] = _with_picture(notebook.cells[0], top)
    resources = {
        "metadata": {"name": title_of(notebook)},
        "book_links": links,
        "book_script": own("page.js"),
    }
    body: str = _exporter().from_notebook_node(notebook, resources=resources)[0]
    sections = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    contents = "".join(f'<li><a href="#{place}">{text}</a></li>' for place, text in sections)
    body = body.replace("<main>", f'<main><ul class="hpml-contents">{contents}</ul>', 1)
    # A Markdown table without a head has header cells without text.
    body = body.replace("<th></th>", "<td></td>")
    # The keyboard scrolls only what it can reach: code, and not each cell around it.
    body = body.replace('class="jp-Cell-inputWrapper" tabindex="0"', 'class="jp-Cell-inputWrapper"')
    body = re.sub(r'(<div class="highlight hl-[^"]*"><pre)>', r'\1 tabindex="0">', body)
    return re.sub(r'(href="[\w./-]+)\.ipynb(?=[#"])', r"\1.html", body)


def style() -> str:
    """Return the style sheet of all pages: JupyterLab's, then the book's own."""
    environment = _exporter().environment
    names = ("static/index.css", "static/theme-light.css", "static/theme-dark.css")
    *sheets, dark = (environment.loader.get_source(environment, name)[0] for name in names)
    dark = f"@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    return "\n".join([*sheets, dark, own("book.css")])


def own(name: str) -> str:
    """Return the text of a file beside this one."""
    return (
        importlib.resources.files("hpml.course.release").joinpath(name).read_text(encoding="utf-8")
    )


@functools.cache
def _exporter() -> Any:
    from jinja2 import DictLoader
    from nbconvert import HTMLExporter

    template = DictLoader({"page.html.j2": own("page.html.j2")})
    return HTMLExporter(  # type: ignore[no-untyped-call]
        extra_loaders=[template], template_file="page.html.j2", anchor_link_text=""
    )


def _prepare(cell: NotebookNode) -> None:
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        cell.metadata["transient"] = {"remove_source": True}
    for output in cell.outputs:
        output.get("data", {}).pop(_CONTROL, None)


def _folded(cell: NotebookNode) -> Iterator[NotebookNode]:
    """Yield a cell; mark one that only sets up the lab, and put its pictures after it."""
    if cell.cell_type != "code" or not _SET_UP.search(cell.source):
        yield cell
        return
    shown = [output for output in cell.outputs if figures.has_figure(output)]
    cell.outputs = [output for output in cell.outputs if not figures.has_figure(output)]
    cell.metadata["folded"] = "Set-up: imports, and the machine that ran this page"
    yield cell
    if shown:
        yield _shown(f"{cell.id}-picture", shown)


def _with_picture(head: NotebookNode, picture: str) -> Iterator[NotebookNode]:
    """Yield the head of a lab with a picture after its first paragraph."""
    from nbformat.v4 import new_markdown_cell, new_output

    *_, start, rest = re.split(r"(?<=\n\n)(?=After it you can)", f"\n\n{head.source}", maxsplit=1)
    yield new_markdown_cell(start.strip(), id=head.id)  # type: ignore[no-untyped-call]
    data = {"text/html": picture}
    yield _shown(f"{head.id}-picture", [new_output("display_data", data)])  # type: ignore[no-untyped-call]
    yield new_markdown_cell(rest, id=f"{head.id}-goals")  # type: ignore[no-untyped-call]


def _shown(name: str, outputs: list[NotebookNode]) -> NotebookNode:
    """Return a cell that shows only outputs."""
    from nbformat.v4 import new_code_cell

    transient = {"remove_source": True}
    cell: NotebookNode = new_code_cell(outputs=outputs, id=name, metadata={"transient": transient})  # type: ignore[no-untyped-call]
    return cell


def _piece(names: Mapping[str, str], found: re.Match[str]) -> str:
    # HTML instead of Markdown: inside a summary element, Markdown is not rendered.
    return f'<a href="{names[found["lab"]]}">{found[0]}</a>' if found["lab"] in names else found[0]
