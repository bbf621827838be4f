"""Convert an executed lab to a page with nbconvert; the page loads nothing from the network."""

from __future__ import annotations

import copy
import functools
import importlib.resources
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

_CONTROL = "application/vnd.jupyter.widget-view+json"
# Listings, code, links and tags stay as they are; elsewhere "lab 07" becomes a link.
_PIECES = re.compile(
    r"(?P<kept>```.*?```|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|<[^>]+>)|\b[Ll]ab (?P<lab>\d\d)\b",
    re.DOTALL,
)


def title_of(notebook: NotebookNode) -> str:
    """Return the first heading of a lab."""
    found = re.search(r"^# (.+)", "\n".join(cell.source for cell in notebook.cells), re.MULTILINE)
    return found[1].strip() if found else "A lab without a title"


def page(name: str, notebook: NotebookNode, names: Mapping[str, str], navigation: str) -> str:
    """Return the page of an executed lab; `names` has the page of each lab by number."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("widgets", None)
    others = {number: page for number, page in names.items() if number != name[:2]}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _PIECES.sub(functools.partial(_piece, others), cell.source)
        elif cell.cell_type == "code":
            _prepare(cell)
    resources = {"metadata": {"name": title_of(notebook)}, "book_navigation": navigation}
    body: str = _exporter().from_notebook_node(notebook, resources=resources)[0]
    sections = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    contents = "".join(f'<li><a href="#{place}">{text}</a></li>' for place, text in sections)
    body = body.replace("<main>", f'<main><ul class="hpml-contents">{contents}</ul>', 1)
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


def _piece(names: Mapping[str, str], found: re.Match[str]) -> str:
    # HTML instead of Markdown: inside a summary element, Markdown is not rendered.
    return f'<a href="{names[found["lab"]]}">{found[0]}</a>' if found["lab"] in names else found[0]
