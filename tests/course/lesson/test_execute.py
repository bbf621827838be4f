"""Running a lab headless: what comes out, and what happens when it goes wrong."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from hpml.base.errors import describe
from hpml.course.lesson import execute as executing
from hpml.course.lesson.execute import LabNotFoundError, execute, find_lab, result_texts
from tests.parts import raises


def write(path: Path, *cells: str, tags: dict[int, str] | None = None) -> Path:
    """Write a notebook; a cell that begins with # and a capital is Markdown."""
    made = [
        new_markdown_cell(text) if text.startswith("# ") else new_code_cell(text) for text in cells
    ]
    for place, tag in (tags or {}).items():
        made[place].metadata["tags"] = [tag]
    nbformat.write(new_notebook(cells=made), path)
    return path


def test_every_cell_runs_in_the_notebooks_folder_and_progress_names_the_headings(
    tmp_path: Path,
) -> None:
    source = "import os; print(os.getcwd(), os.environ['HPML_HEADLESS'])"
    lab = write(tmp_path / "01_a.ipynb", "# Title", source, "# Second", "6 * 7")
    seen: list[tuple[int, int, str]] = []

    execution = execute(lab, progress=lambda *at: seen.append(at))

    assert execution.failure is None
    assert execution.notebook.cells[1].outputs[0].text == f"{tmp_path.resolve()} 1\n"
    assert execution.notebook.cells[3].outputs[0].data["text/plain"] == "42"
    assert seen == [(0, 2, "Title"), (1, 2, "Second"), (2, 2, "")]


@pytest.mark.parametrize("system", ["posix", "nt"])  # Windows has no Unix sockets
def test_the_kernel_is_this_interpreter_and_warns_of_no_listeners(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executing, "_has_unix_sockets", lambda: system == os.name == "posix")
    lab = write(tmp_path / "01_a.ipynb", "import sys; print(sys.executable)")
    (output,) = execute(lab).notebook.cells[0].outputs
    assert output.text.strip() == sys.executable


def test_where_sockets_have_no_room_the_kernel_is_reached_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("long" * 25)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert execute(write(tmp_path / "01_a.ipynb", "1")).failure is None


def test_result_texts_are_those_of_the_tagged_cells(tmp_path: Path) -> None:
    lab = write(
        tmp_path / "01_a.ipynb",
        "print('not this')",
        "print('\\x1b[1mtable\\x1b[0m')\n6 * 7",
        "None",
        tags={1: "result", 2: "result"},
    )
    assert result_texts(execute(lab).notebook) == ("table\n42",)


def test_a_failing_cell_is_reported_with_its_source_and_error_and_what_ran_is_kept(
    tmp_path: Path,
) -> None:
    lab = write(
        tmp_path / "01_a.ipynb", "# Part", "print('kept')", "x = 1\nx / 0", "print('never')"
    )

    execution = execute(lab)

    failure = execution.failure
    assert failure is not None
    assert (failure.cell, failure.heading, failure.source) == (2, "Part", "x = 1\nx / 0")
    assert failure.error == "ZeroDivisionError: division by zero"
    assert "x / 0" in failure.traceback
    assert "\x1b" not in failure.traceback
    assert str(failure).startswith("Code cell 2 under “Part” failed: ZeroDivisionError")
    assert execution.notebook.cells[1].outputs[0].text == "kept\n"
    assert execution.notebook.cells[3].outputs == []


def test_a_cell_that_may_raise_does_not_stop_the_run(tmp_path: Path) -> None:
    lab = write(tmp_path / "01_a.ipynb", "1 / 0", "2", tags={0: "raises-exception"})
    execution = execute(lab)
    assert execution.failure is None
    assert execution.notebook.cells[1].outputs[0].data["text/plain"] == "2"


def test_a_kernel_that_dies_is_a_failure_of_the_cell_that_ran(tmp_path: Path) -> None:
    lab = write(tmp_path / "01_a.ipynb", "import os", "os._exit(0)")
    failure = execute(lab).failure
    assert failure is not None
    assert (failure.cell, failure.source) == (2, "os._exit(0)")
    assert failure.error.startswith("DeadKernelError")


@pytest.mark.skipif(
    not hasattr(os, "killpg") or os.environ.get("HPML_EMULATE") == "windows",
    reason="needs POSIX process groups (Linux, macOS)",
)
def test_a_stopped_kernel_and_its_children_are_killed_at_the_timeout(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    lab = write(
        tmp_path / "01_a.ipynb",
        "import os, pathlib, signal, subprocess\n"
        "child = subprocess.Popen(['tail', '-f', '/dev/null'])\n"
        f"pathlib.Path({str(pids)!r}).write_text(f'{{os.getpid()}} {{child.pid}}')\n"
        "os.kill(os.getpid(), signal.SIGSTOP)",
    )

    execution = execute(lab, timeout=10)

    assert execution.failure is not None
    assert execution.failure.cell == 1
    assert "TimeoutError: the lab ran longer than 10 s" in execution.failure.error
    numbers = [int(pid) for pid in pids.read_text().split()]
    assert len(numbers) == 2
    _, alive = psutil.wait_procs(
        [psutil.Process(pid) for pid in numbers if psutil.pid_exists(pid)], timeout=10
    )
    # A killed child may wait as a zombie for whoever inherited it.
    assert [p for p in alive if p.status() != psutil.STATUS_ZOMBIE] == []


def test_a_kernel_that_cannot_be_reached_in_time_is_a_failure_without_a_cell(
    tmp_path: Path,
) -> None:
    lab = write(tmp_path / "01_a.ipynb", "1")
    failure = execute(lab, timeout=0.0).failure
    assert failure is not None
    assert failure.cell == 0
    assert str(failure).startswith("The lab failed: TimeoutError")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from hpml.course.files import data_file

    for folder in ("notebooks", "data"):
        (tmp_path / folder).mkdir()
    shutil.copy(data_file("published_results.json"), tmp_path / "data")
    for name in ("00_start_here", "07_code_generation"):
        write(tmp_path / "notebooks" / f"{name}.ipynb", "1")
    (tmp_path / "notebooks" / "scratch.ipynb").write_text("{}")
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["7", "07", "07_code_generation", "07_code_generation.ipynb"])
def test_a_lab_is_found_by_number_and_by_name(course: Path, name: str) -> None:
    assert find_lab(name).name == "07_code_generation.ipynb"


@pytest.mark.parametrize("name", ["8", "code", "", "-7"])
def test_an_unknown_lab_lists_those_there_are(course: Path, name: str) -> None:
    names = ("00_start_here", "07_code_generation")
    with raises(
        LabNotFoundError, object="LAB", expected=names, received=describe(name), remedy=names
    ):
        find_lab(name)
