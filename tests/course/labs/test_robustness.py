"""What happens to a lab away from the desk it was written at: it runs, and no answer is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from hpml.course.lesson.execute import Execution, execute

ROOT = Path(__file__).parents[3]
FIRST = ROOT / "notebooks" / "00_start_here.ipynb"


def isolated(folder: Path) -> list[str]:
    """Return the beginning of a command without a network that can write in one folder only."""
    command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net"]
    return [*command, "--bind", str(folder), str(folder)]


@pytest.mark.needs("bubblewrap")
def test_without_a_network_and_in_a_read_only_folder_with_an_odd_name_the_first_lab_runs(
    tmp_path: Path,
) -> None:
    course, home = tmp_path / "Übungen für “später”", tmp_path / "home"
    course.mkdir()
    home.mkdir()
    for name in ("hpml", "notebooks", "data"):
        shutil.copytree(ROOT / name, course / name, ignore=shutil.ignore_patterns("__pycache__"))
    place = {"HOME": home, "XDG_DATA_HOME": home / "data", "TMPDIR": home, "PYTHONPATH": course}
    environment = {**os.environ, **{name: str(path) for name, path in place.items()}}
    environment.pop("HPML_RESULTS", None)
    run = subprocess.run(
        [*isolated(home), sys.executable, "-m", "hpml", "run", "00"],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    executed = (home / "data" / "hpml" / FIRST.name).read_text(encoding="utf-8")
    assert "~/data/hpml" in executed
    assert "predictions.json: your answers" in executed
    assert not (course / "results").exists()


def run_cells(folder: Path, *sources: str) -> Execution:
    """Run cells as somebody who sits at the notebook."""
    notebook = nbformat.v4.new_notebook(cells=[new_code_cell(source) for source in sources])
    path = folder / "lab.ipynb"
    nbformat.write(notebook, path)
    results = {"HPML_RESULTS": str(folder / "results"), "HPML_HEADLESS": "0", "HPML_QUICK": "1"}
    return execute(path, timeout=300, environment=results)


@pytest.mark.thorough
def test_a_lab_interrupted_and_run_again_and_then_backwards_goes_through(tmp_path: Path) -> None:
    code = [cell for cell in nbformat.read(FIRST, as_version=4).cells if cell.cell_type == "code"]
    apart = {"further", "setup"}
    head, *rest = [c.source for c in code if not apart & set(c.metadata.get("tags", ()))]
    measuring = next(source for source in rest if "compare(" in source)
    interrupted = (
        "import _thread, threading\nthreading.Timer(0.01, _thread.interrupt_main).start()\n"
        f"try:\n    exec({measuring!r})\nexcept KeyboardInterrupt:\n    print('interrupted')"
    )
    solved = 'def hello(name):\n    return f"Hello, {name}!"'
    answered = "numpy_guess.lock(40)"
    place = next(index for index, source in enumerate(rest) if source.startswith("check("))
    right = [*rest[: place - 1], solved, *rest[place:]]
    ran = run_cells(tmp_path, head, rest[0], answered, interrupted, *right, *reversed(right))
    assert ran.failure is None, str(ran.failure)
    shown = json.dumps(ran.notebook.cells)
    assert "interrupted" in shown
    labs = {
        name: json.loads((tmp_path / "results" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("predictions", "progress")
    }
    assert labs["predictions"]["labs"]["00"]["numpy_sum"]["answer"] == 40
    assert labs["progress"]["labs"]["00"]["hello"]["passed"]
