"""Run a lab as a student who follows its text: exercises solved, cells changed, sliders moved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import nbformat

from hpml.course.labs.catalogue import exercises
from hpml.course.lesson.execute import execute, find_lab
from tests.causes.shown import ROOT
from tests.instructions.kinds import Change, Moved

# Controls are shown to a student only, not in a headless run; each change runs what it controls.
_MOVE = """\
import os as _os
from ipywidgets.widgets.widget import _instances
_os.environ["HPML_HEADLESS"], _before = "0", set(_instances)
{source}
for _name, _value in {controls!r}.items():
    for _key in set(_instances) - _before:
        if getattr(_instances[_key], "description", "") == _name:
            _instances[_key].value = _value
_os.environ["HPML_HEADLESS"] = "1"
"""


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
    for place, step in enumerate(steps):
        (index,) = (k for k, cell in enumerate(notebook.cells) if cell.id == step.cell)
        cell = notebook.cells[index]
        if isinstance(step, Change):
            assert step.old in cell.source, step
            source = cell.source.replace(step.old, step.new)
        else:
            source = _MOVE.format(source=cell.source, controls=dict(step.controls))
        if isinstance(step, Change) and step.in_place:
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
    return {cell.id: shown(cell) for cell in done.notebook.cells}


def shown(cell: nbformat.NotebookNode) -> str:
    """Return what a cell shows: of each output its plain form and the words of its page."""
    texts = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        texts += [output.get("text", ""), data.get("text/plain", "")]
        texts.append(
            re.sub(
                r"<style.*?</style>|<script.*?</script>|<[^>]*>",
                " ",
                data.get("text/html", ""),
                flags=re.DOTALL,
            )
        )
    return "\n".join(texts)
