"""Each lab runs where `hpml` believes to be on Windows or on a Mac (see tests/emulated)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[3]
LABS = [path.stem[:2] for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))]
OFTEN = {("windows", "03")}
"""Run by `make test`: the lab that asks most of the system."""
QUICK = [
    pytest.param(name, lab, marks=[] if (name, lab) in OFTEN else pytest.mark.thorough)
    for name in ("windows", "macos")
    for lab in LABS
]


def run(emulated: str, lab: str, folder: Path, *, quick: bool) -> str:
    """Run a lab, and return the text of its outputs."""
    done = subprocess.run(
        [sys.executable, "-m", "hpml", "run", lab, "--out", str(folder)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "emulated"), str(ROOT)]),
            "HPML_EMULATE": emulated,
            "HPML_QUICK": str(int(quick)),
            "HPML_RESULTS": str(folder),
            "PYTHONIOENCODING": "cp1252" if emulated == "windows" else "utf-8",
        },
        capture_output=True, check=False,
    )  # fmt: skip
    # Standard output has the encoding that it has on that system.
    said = done.stdout.decode("cp1252" if emulated == "windows" else "utf-8")
    assert done.returncode == 0, said[-3000:] + done.stderr.decode(errors="replace")[-3000:]
    (copy,) = folder.glob(f"{lab}_*.ipynb")
    texts = [
        output.get("text", output.get("data", {}).get("text/plain", ""))
        for cell in nbformat.read(copy, as_version=4).cells
        for output in cell.get("outputs", ())
    ]
    return "\n".join(texts)


@pytest.mark.parametrize(("emulated", "lab"), QUICK)
def test_a_lab_runs_on_another_system(emulated: str, lab: str, tmp_path: Path) -> None:
    said = run(emulated, lab, tmp_path, quick=True)
    assert "Windows" in said or "Darwin" in said


@pytest.mark.thorough
@pytest.mark.parametrize("lab", ["08", "13", "14"])
def test_a_lab_runs_at_full_size_where_compilers_are_stubs(lab: str, tmp_path: Path) -> None:
    said = run("macos", lab, tmp_path, quick=False)
    assert "No developer tools were found" in said
