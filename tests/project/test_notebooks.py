from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml.course.labs.catalogue import paths
from tests.project.notebooks import ROOT, long_cells, normalised, notebooks, with_times

NOTEBOOKS = notebooks()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_in_its_normal_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == normalised(text), "`make tidy` brings it into its stored form"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebooks_cells_are_short(path: Path) -> None:
    assert long_cells(path.read_text(encoding="utf-8")) == [], "longer code belongs in hpml"


def test_notebooks_stand_in_one_folder_under_a_number_of_their_own() -> None:
    names = [path.stem for path in NOTEBOOKS]
    assert all(path.parent == ROOT / "notebooks" for path in NOTEBOOKS)
    assert [name for name in names if not re.fullmatch(r"\d\d_[a-z0-9_]+", name)] == []
    assert len({name[:2] for name in names}) == len(names)


def test_the_readme_says_how_long_each_lab_takes() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^\| `(\d\d_\w+)` \|", readme) == [path.stem for path in NOTEBOOKS]
    assert readme == with_times(readme), "`make tidy` writes the minutes"
    dropped = re.sub(r"(?m)(^\| `00_)", r"| `98_dropped` | left out | 60 |\n\1", readme)
    assert readme == with_times(dropped) != dropped


def test_outputs_counts_and_machine_metadata_go_and_tags_stay() -> None:
    cell = new_code_cell(
        "1 + 1  \n",
        execution_count=7,
        outputs=[new_output("execute_result", {"text/plain": "2"}, execution_count=7)],
        metadata={"tags": ["result"], "execution": {"iopub": "2024"}, "collapsed": False},
    )
    notebook = new_notebook(
        cells=[cell], metadata={"kernelspec": {"name": "my-env", "display_name": "x"}, "vscode": {}}
    )
    stored = nbformat.reads(normalised(nbformat.writes(notebook)), as_version=4)

    assert stored.cells[0].source == "1 + 1"
    assert stored.cells[0].outputs == []
    assert stored.cells[0].execution_count is None
    assert stored.cells[0].metadata == {"tags": ["result"]}
    assert stored.cells[0].id == cell.id
    assert stored.metadata.kernelspec.name == "python3"
    assert set(stored.metadata) == {"kernelspec", "language_info"}


def test_a_long_cell_is_found_unless_it_is_an_exercise_or_prose() -> None:
    lines = "\n".join("x = 1" for _ in range(16))
    exercise = new_code_cell(lines, metadata={"tags": ["exercise"]})
    cells = [new_markdown_cell(lines), new_code_cell(lines), exercise, new_code_cell("x")]
    assert long_cells(nbformat.writes(new_notebook(cells=cells))) == [
        "cell 1: 16 lines, expected at most 15"
    ]


def test_the_readmes_weeks_are_the_paths_that_the_labs_name() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    weeks = [row.split("|")[2:4] for row in readme.splitlines() if re.match(r"\| \d \|", row)]
    shown = [tuple(re.findall(r"\d\d", " ".join(column))) for column in zip(*weeks, strict=True)]
    assert shown == list(paths().values())
