"""Every lab has the form of all labs, and runs headless although no question is answered."""

from __future__ import annotations

import ast
import builtins
import re
import statistics
import symtable
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from hpml.course.lesson.execute import execute, result_texts
from hpml.course.release.reading import length_of
from tests.project.notebooks import SETUP, only_asks
from tests.project.sentences import long_sentences

LABS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
each_lab = pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)

# Labs that take longer than an hour: the minutes that they stay below, and the reason.
LONGER = {
    "02": (67.5, "the student writes the loop of an interpreter"),
    "03": (72.5, "two of its exercises take longer than those of other labs"),
    "08": (72.5, "the student takes one kernel from three loops to the library"),
    "12": (72.5, "after the recipes a run that waits, grows and recompiles is debugged"),
    "15": (82.5, "seven faults are found and fixed in a script of a hundred lines"),
}

# Labs whose *going further* is more than a third of the whole, with the reason.
FURTHER = {"02": "its exercise is an algorithm on a graph of instructions"}

# Everything the notebook named is dropped first: a lab may well end with symbolic handles in its
# variables, and while they live calls are meant to be intercepted.
UNTOUCHED = """
get_ipython().run_line_magic("reset", "-f")
import gc, sys, threading, torch
gc.collect()
call = torch.nn.Module.__call__
print((call.__module__, call.__qualname__))
print((sys.getprofile(), sys.gettrace(), threading.getprofile(), threading.gettrace()))
"""


UNTOUCHED_OUTPUT = [
    "('torch.nn.modules.module', 'Module._wrapped_call_impl')",
    "(None, None, None, None)",
]


@each_lab
def test_a_lab_runs_headless_shows_its_result_and_leaves_module_calls_alone(
    path: Path, tmp_path: Path
) -> None:
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(new_code_cell(UNTOUCHED, id="untouched"))
    copy = tmp_path / path.name
    nbformat.write(notebook, copy)

    results = tmp_path / "results"
    execution = execute(
        copy, timeout=300, environment={"HPML_QUICK": "1", "HPML_RESULTS": str(results)}
    )

    assert execution.failure is None, str(execution.failure)
    shown = result_texts(execution.notebook)
    assert shown != ()
    assert not any(text.startswith("Table(") for text in shown), "a result is shown as a table"
    printed = "".join(output.text for output in execution.notebook.cells[-1].outputs)
    assert printed.splitlines() == UNTOUCHED_OUTPUT
    # A run in which nobody answers must leave the questions open for the student.
    assert not (results / "predictions.json").exists()


@pytest.mark.thorough
@each_lab
def test_a_lab_runs_at_full_size(path: Path, tmp_path: Path) -> None:
    environment = {"HPML_QUICK": "0", "HPML_RESULTS": str(tmp_path)}
    execution = execute(path, timeout=600, environment=environment)
    assert execution.failure is None, str(execution.failure)


@each_lab
def test_a_lab_takes_its_controls_from_hpml_which_survive_without_a_kernel(path: Path) -> None:
    assert "ipywidgets" not in _all_code(path), "use hpml.widgets.explore for a control"


@each_lab
def test_a_lab_keeps_the_form_of_all_labs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    setup, *code = [cell for cell in cells if _is_code(cell)]
    assert setup.source == SETUP
    assert re.match(rf"# Lab {path.stem[:2]} · .+", cells[0].source)
    assert all(word in cells[0].source for word in ("After it you can", "**Time**", "**Source**"))
    assert "lab_head(" in code[0].source.splitlines()[-1]
    assert any("predict(" in cell.source for cell in code)
    assert any("explain(explanation)" in cell.source for cell in code)
    assert any("calibration()" in cell.source for cell in code)
    assert len([cell for cell in code if "result" in cell.metadata.get("tags", [])]) == 1
    assert statistics.median(len(cell.source.splitlines()) for cell in code) <= 8


@each_lab
def test_a_lab_takes_as_long_as_its_head_says_and_no_longer_than_an_hour(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    length = length_of(notebook)
    assert length.head in notebook.cells[0].source
    assert length.core.words <= 2500
    most, _ = LONGER.get(path.stem[:2], (62.5, ""))
    assert length.core.minutes < most, "about an hour, to the nearest five minutes"
    assert most == 62.5 or length.core.minutes >= 62.5, "no longer a reason to be longer"
    third = 2 * length.further.minutes <= length.core.minutes
    assert third or path.stem[:2] in FURTHER, "at most a third of the whole"


@each_lab
def test_the_core_of_a_lab_runs_without_what_goes_further(path: Path) -> None:
    made: dict[bool, set[str]] = {True: set(), False: set()}
    used = set()
    for cell in filter(_is_code, nbformat.read(path, as_version=4).cells):
        further = "further" in cell.metadata.get("tags", [])
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                used |= set() if further else {node.id}
            elif isinstance(node, ast.Name | ast.FunctionDef | ast.ClassDef | ast.arg | ast.alias):
                made[further] |= {
                    getattr(node, "id", None) or getattr(node, "name", None) or node.arg
                }
    assert used & (made[True] - made[False] - set(dir(builtins))) == set()


def _bound_and_read(code: str) -> tuple[set[str], set[str]]:
    """The variables that the code of a cell binds, and those that it takes from other cells."""

    def read(table: symtable.SymbolTable) -> Iterator[str]:
        of_notebook = table.get_type() == "module"
        yield from (
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (of_notebook or symbol.is_global())
        )
        for inner in table.get_children():
            yield from read(inner)

    cell = symtable.symtable(code, "cell", "exec")
    bound = {s.get_name() for s in cell.get_symbols() if s.is_assigned() or s.is_imported()}
    return bound, set(read(cell)) - bound


def _several_makers(cells: list[str]) -> set[str]:
    """What a cell reads and two others bind: which of the two it sees depends on the student."""
    names = [_bound_and_read(code) for code in cells]
    makers = Counter(name for bound, _ in names for name in bound)
    return {name for _, read in names for name in read if makers[name] > 1}


@each_lab
def test_what_a_cell_reads_is_made_by_one_other_cell(path: Path) -> None:
    """So a cell that runs again, because its exercise was solved, shows and leaves the same."""
    cells = nbformat.read(path, as_version=4).cells
    assert _several_makers([cell.source for cell in cells if _is_code(cell)]) == set()


def test_a_variable_that_two_cells_make_is_found() -> None:
    assert _several_makers(["a = 1", "a = 2", "print(a)"]) == {"a"}
    assert _several_makers(["a = 1", "a = 2", "def f():\n    return [a for _ in 'b']"]) == {"a"}
    assert _several_makers(["a = 1", "a = 2\nprint(a)", "[a for a in 'b']"]) == set()


@each_lab
def test_a_labs_sentences_are_short(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    assert [sentence for text in prose for sentence in long_sentences(text)] == []


@each_lab
def test_a_cell_that_only_asks_a_question_is_hidden(path: Path) -> None:
    for cell in filter(_is_code, nbformat.read(path, as_version=4).cells):
        if "predict(" in cell.source and only_asks(cell.source):
            assert cell.metadata["jupyter"] == {"source_hidden": True}, cell.id


@each_lab
def test_exercises_stand_in_the_order_of_their_numbers(path: Path) -> None:
    text = "".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    numbers = [int(found) for found in re.findall(r"\*\*Exercise \d\d?\.(\d+) ", text)]
    assert numbers == list(range(1, len(numbers) + 1))


@each_lab
def test_every_key_of_a_lab_is_its_own(path: Path) -> None:
    keys = re.findall(r"\bkey=\"([^\"]+)\"", _all_code(path))
    assert len(keys) == len(set(keys))
    assert len(keys) == len(re.findall(r"\bpredict\(", _all_code(path)))


def _is_code(cell: nbformat.NotebookNode) -> bool:
    return bool(cell.cell_type == "code")


def _all_code(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if _is_code(cell))
