"""Run a lab as a student who follows its text: exercises solved, cells changed, sliders moved."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import nbformat

from hpml.course.labs.catalogue import exercises
from hpml.course.lesson.execute import execute, find_lab
from tests.causes.shown import ROOT
from tests.instructions.kinds import Change, Moved


def run_lab(lab: str, steps: Iterable[Change | Moved], folder: Path) -> dict[str, str]:
    """Return what each cell of a lab shows, by its id; of `steps` by the place of the step."""
    notebook = nbformat.read(find_lab(lab), as_version=4)
    for exercise in exercises(lab):
        path = ROOT / "tests" / "solutions" / f"lab_{lab}" / exercise.name / "right.py"
        for cell in notebook.cells:
            if (
                "exercise" in cell.metadata.get("tags", ())
                and f"def {exercise.name}(" in cell.source
            ):
                cell.source = path.read_text("utf-8").strip()
    steps = list(steps)
    for place, step in enumerate(steps):
        if isinstance(step, Moved):
            continue
        (index,) = (k for k, cell in enumerate(notebook.cells) if cell.id == step.cell)
        cell = notebook.cells[index]
        assert step.old in cell.source, step
        source = cell.source.replace(step.old, step.new)
        if step.in_place:
            cell.source, cell.id = source, f"step-{place}"
            notebook.cells.insert(index, nbformat.v4.new_markdown_cell("", id=step.cell))
        else:
            copy = nbformat.v4.new_code_cell(source, id=f"step-{place}")
            notebook.cells.insert(index + 1, copy)
    file = folder / find_lab(lab).name
    nbformat.write(notebook, file)
    environment = {
        "HPML_QUICK": "1",
        "HPML_RESULTS": str(folder / "results"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # not that of the tests
    }
    done = execute(file, timeout=600, environment=environment)
    assert done.failure is None, str(done.failure)
    cells = {cell.id: cell for cell in done.notebook.cells}
    found = {name: shown(cell) for name, cell in cells.items()}
    for place, step in enumerate(steps):
        if isinstance(step, Moved):
            found[f"step-{place}"] = _words(_moved(cells[step.cell], step.controls))
    return found


def shown(cell: nbformat.NotebookNode) -> str:
    """Return what a cell shows: of each output its plain form and the words of its page."""
    texts = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        texts += [output.get("text", ""), data.get("text/plain", "")]
        texts.append(_words(data.get("text/html", "")))
    return "\n".join(texts)


def _words(page: str) -> str:
    page = re.sub(r'<img[^>]*? alt="([^"]*)"[^>]*>', r" \1 ", page)
    page = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL)
    return html.unescape(page)


def _moved(cell: nbformat.NotebookNode, moved: Mapping[str, object]) -> str:
    """Return the page that `explore` shows once its controls have these values."""
    pages = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
    (page,) = (page for page in pages if "data-choices=" in page)
    choices = json.loads(html.unescape(re.findall(r'data-choices="([^"]*)"', page)[0]))
    place = 0
    for name, texts, _, first in choices["controls"]:
        text = f"{moved[name]:,}" if type(moved.get(name)) is int else str(moved.get(name))
        place = place * len(texts) + (texts.index(text) if name in moved else first)
    assert set(moved) <= {name for name, *_ in choices["controls"]}, moved
    _, *states = re.split(r'<div data-state="\d+"[^>]*>', page)
    return states[choices["places"][place]]
